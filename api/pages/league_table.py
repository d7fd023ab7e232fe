"""The rows of the league table of sources."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from registry.estimations.model import EstimationRun
from registry.estimations.schemas import Topic, TopicReliability
from registry.estimations.store.league import TOPIC_GAP
from registry.sources.reliabilities import SourceReliability
from registry.sources.schemas import CopyGroup


@dataclass(frozen=True, slots=True)
class LeagueRow:
    """One source with its figures."""

    source: SourceReliability
    coverage: float | None
    """Share of the queries of the run on which it voted."""
    agreement: float | None
    """Share of its votes that are for the answers of the run."""
    conflict: float | None
    """Share of its votes on queries of which other sources gave other answers."""
    copy_group: CopyGroup | None
    best_topic: str | None
    """Label of the topic on which it is most reliable, where topics differ for it."""
    worst_topic: str | None


def league_rows(
    run: EstimationRun | None, sources: Sequence[SourceReliability], queries: int | None = None
) -> list[LeagueRow]:
    """A row for each of these sources of a run; `queries` are those of the votes, by default all of the run."""
    queries = queries or (run.queries_total if run else None)
    groups = [CopyGroup.model_validate(group) for group in run.copy_groups] if run else []
    labels = [Topic.model_validate(topic).label for topic in run.topics] if run else []
    rows = []
    for source in sources:
        best, worst = _extremes(source.topics)
        rows.append(
            LeagueRow(
                source=source,
                coverage=source.vote_count / queries if queries else None,
                agreement=_share(source.agreement_count, source.vote_count),
                conflict=_share(source.conflict_count, source.vote_count),
                copy_group=None if source.copy_group is None else groups[source.copy_group],
                best_topic=None if best is None else labels[best.topic],
                worst_topic=None if worst is None else labels[worst.topic],
            )
        )
    return rows


def _share(count: int | None, total: int) -> float | None:
    return count / total if count is not None and total else None


def on_topic(sources: Iterable[SourceReliability], place: int) -> list[SourceReliability]:
    """Those of the sources that have votes on a topic, with what these tell, and without what is kept only over all."""
    return [
        replace(
            source,
            reliability=topic.reliability if source.override is None else source.reliability,
            lower=topic.lower,
            upper=topic.upper,
            vote_count=topic.vote_count,
            agreement_count=None,
            conflict_count=None,
            misread_count=None,
        )
        for source in sources
        for topic in source.topics
        if topic.topic == place and topic.vote_count
    ]


def _extremes(topics: Sequence[TopicReliability]) -> tuple[TopicReliability | None, TopicReliability | None]:
    """The topics of a source with votes on which it is most and least reliable, where these differ."""
    voted = [topic for topic in topics if topic.vote_count]
    if len(voted) < 2:
        return None, None
    best, worst = (choose(voted, key=lambda topic: topic.reliability) for choose in (max, min))
    return (best, worst) if best.reliability - worst.reliability >= TOPIC_GAP else (None, None)
