"""The league table of sources: its rows, sorted, filtered and cut into pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import itemgetter
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from api.pages.paging import LARGEST, cut, page_count
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import Topic, TopicReliability
from registry.sources.reliabilities import Reliabilities, SourceReliability
from registry.sources.schemas import CopyGroup

PAGE_ROWS = 50
# Topics differ for a source where its best and its worst are at least so far apart.
TOPIC_GAP = 0.1
Percent = Annotated[int, Field(ge=0, le=100)]


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


class Column(StrEnum):
    """The column by which the table is sorted."""

    NAME = "name"
    RELIABILITY = "reliability"
    LOWER = "lower"
    VOTES = "votes"
    COVERAGE = "coverage"
    AGREEMENT = "agreement"
    CONFLICT = "conflict"
    CHANGE = "change"
    SINCE = "since"


class Show(StrEnum):
    """The sources that the table shows."""

    ALL = "all"
    OVERRIDDEN = "overridden"
    TURNED = "turned"
    COPIES = "copies"
    SPECIALISTS = "specialists"
    WITHOUT_VOTES = "without_votes"


# Coverage is by votes: all sources of a run were asked the same queries.
_KEYS: Mapping[Column, Callable[[SourceReliability, Mapping[UUID, float]], Any]] = {
    Column.NAME: lambda source, _: source.name.casefold(),
    Column.RELIABILITY: lambda source, _: source.reliability,
    Column.LOWER: lambda source, _: source.lower,
    Column.VOTES: lambda source, _: source.vote_count,
    Column.COVERAGE: lambda source, _: source.vote_count,
    Column.AGREEMENT: lambda source, _: _share(source.agreement_count, source.vote_count),
    Column.CONFLICT: lambda source, _: _share(source.conflict_count, source.vote_count),
    Column.CHANGE: lambda source, changes: changes.get(source.source_id),
    Column.SINCE: lambda source, _: source.created_at,
}
_TESTS: Mapping[Show, Callable[[SourceReliability], bool]] = {
    Show.ALL: lambda _: True,
    Show.OVERRIDDEN: lambda source: source.override is not None,
    Show.TURNED: lambda source: source.turned_at is not None,
    Show.COPIES: lambda source: source.copy_group is not None,
    Show.SPECIALISTS: lambda source: _extremes(source.topics) != (None, None),
    Show.WITHOUT_VOTES: lambda source: source.vote_count == 0,
}


@dataclass(frozen=True, slots=True)
class LeaguePage:
    """One page of the table; `number` is counted from 1."""

    rows: Sequence[LeagueRow]
    charted: Sequence[SourceReliability]
    """The sources that match, those outside the range of reliabilities included."""
    total: int
    number: int
    pages: int

    @property
    def source_ids(self) -> list[UUID]:
        """Sources of its rows."""
        return [row.source.source_id for row in self.rows]


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


class LeagueQuery(BaseModel):
    """The query of the table, as it stands in the address of its page."""

    text: Annotated[str, Field(max_length=500)] = ""
    """Part of the names or external ids of the sources."""
    show: Show = Show.ALL
    topic: int | Literal["all"] = "all"
    """Place in the run's list of topics: the figures are those of the votes on it."""
    least: Percent = 0
    most: Percent = 100
    """Range of the reliability, without its end unless that is 100."""
    sort: Column = Column.RELIABILITY
    descending: bool = True
    page: Annotated[int, Field(ge=1, le=LARGEST)] = 1

    def is_of(self, source: SourceReliability) -> bool:
        """Whether the table is to show a source, whatever its reliability."""
        wanted = self.text.strip().casefold()
        named = not wanted or wanted in source.name.casefold() or wanted in source.external_id.casefold()
        return named and _TESTS[self.show](source)

    def in_range(self, reliability: float | None) -> bool:
        """Whether a reliability is in the range; only the whole range holds a missing one."""
        if self.least <= 0 and self.most >= 100:
            return True
        if reliability is None or 100 * reliability < self.least:
            return False
        return self.most >= 100 or 100 * reliability < self.most


def league_page(current: Reliabilities, changes: Mapping[UUID, float], query: LeagueQuery) -> LeaguePage:
    """The page with this number, or the last one, of the sources that are asked for; `changes` are needed to sort by
    them.

    Sources without a figure in the sorted column come last in either direction.
    """
    key = _KEYS[query.sort]
    charted = [source for source in current.sources if query.is_of(source)]
    if query.topic != "all":
        charted = [
            _on_topic(source, topic)
            for source in charted
            for topic in source.topics
            if topic.topic == query.topic and topic.vote_count
        ]
    matching = [(key(source, changes), source) for source in charted if query.in_range(source.reliability)]
    valued = sorted((pair for pair in matching if pair[0] is not None), key=itemgetter(0), reverse=query.descending)
    ordered = [source for _, source in valued] + [source for value, source in matching if value is None]
    shown, number = cut(ordered, query.page, PAGE_ROWS)
    topics = current.run.topics if current.run and query.topic != "all" else []
    queries = next((topic["query_count"] for place, topic in enumerate(topics) if place == query.topic), None)
    rows = league_rows(current.run, shown, queries)
    return LeaguePage(rows, charted, len(ordered), number, page_count(len(ordered), PAGE_ROWS))


def _on_topic(source: SourceReliability, topic: TopicReliability) -> SourceReliability:
    """The source with what its votes on a topic tell; figures that are kept only over all topics are left out."""
    return replace(
        source,
        reliability=topic.reliability if source.override is None else source.reliability,
        lower=topic.lower,
        upper=topic.upper,
        vote_count=topic.vote_count,
        agreement_count=None,
        conflict_count=None,
        misread_count=None,
    )


def _extremes(topics: Sequence[TopicReliability]) -> tuple[TopicReliability | None, TopicReliability | None]:
    """The topics of a source with votes on which it is most and least reliable, where these differ."""
    voted = [topic for topic in topics if topic.vote_count]
    if len(voted) < 2:
        return None, None
    best, worst = (choose(voted, key=lambda topic: topic.reliability) for choose in (max, min))
    return (best, worst) if best.reliability - worst.reliability >= TOPIC_GAP else (None, None)
