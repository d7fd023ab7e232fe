"""What a run finds beside reliabilities: topics, sources that turned or fell, and groups that dissent together.

`gather_topics` looks up what is known of the topics of queries before the estimate.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import structlog

from answering.questions.typical_words import MOST_WORDS, typical_words
from estimator import Estimate, QueryTopics
from estimator.methods import method_named
from estimator.result import JointDissent as EstimatedDissent
from estimator.result import TopicReliabilities, Topics
from estimator.topics import expanded
from registry.estimations.model import EstimationRun, RunCentroid, RunSource
from registry.estimations.schemas import EstimationParameters, Topic
from registry.estimations.store.estimates import query_texts
from registry.estimations.store.votes import (
    PreviousRun,
    RunVotes,
    class_wordings,
    contexts_of_queries,
    queries_with_topics,
)
from registry.events import store as events
from registry.platform.database.base import AsyncSession
from registry.runtime import Runtime
from registry.sources.model import Source
from registry.sources.schemas import DissentedQuery, JointDissent

log = structlog.get_logger(__name__)

SOURCE_TURNED: Final = "source_turned"
"""Kind of the event of a source that turned."""
DISSENT_TOGETHER: Final = "sources_dissent_together"
"""Kind of the event of a group of sources that do."""


@dataclass(frozen=True, slots=True, eq=False)
class RunTopics:
    """The queries of a run in the order of `RunVotes.query_ids`."""

    texts: Sequence[str]
    names: Sequence[str | None]
    """The topics that the caller gave."""
    are_for_all: Sequence[bool]
    """Whether all who read the corpus may see them, and so a label made of their words."""
    query_topics: QueryTopics


async def gather_topics(runtime: Runtime, parameters: EstimationParameters, run_votes: RunVotes) -> RunTopics | None:
    """The known topics of the queries; None if the parameters or the method take none.

    Raises what the embedder raises.
    """
    if parameters.topics == "none" or "topics" not in method_named(parameters.method).parameters:
        return None
    async with runtime.database.begin() as session:
        found = await queries_with_topics(session, run_votes.estimation_id)
    texts, names, are_for_all = map(list, zip(*found, strict=True))
    vectors = await runtime.embedder.embed(texts)
    async with runtime.database.begin() as session:
        contexts = await contexts_of_queries(session, run_votes, vectors)
    number = {name: index for index, name in enumerate(sorted({name for name in names if name is not None}))}
    numbers = np.array([-1 if name is None else number[name] for name in names], dtype=np.int64)
    return RunTopics(
        texts, names, are_for_all, QueryTopics(numbers, expanded(vectors, contexts), parameters.topic_count)
    )


async def write_topics(
    session: AsyncSession, run: EstimationRun, run_topics: RunTopics, estimates: TopicReliabilities
) -> None:
    """Store the topics of the run and the centroids of its clusters of queries."""
    topics = estimates.topics
    # In a thread, as it takes seconds for very many queries.
    described = await asyncio.to_thread(_described, run_topics, topics)
    run.topics = [topic.model_dump(mode="json") for topic in described]
    session.add_all(
        RunCentroid(
            estimation_id=run.id,
            number=number,
            query_count=int(topics.cluster_size[number]),
            shares=topics.share[number].tolist(),
            embedding=centroid.tolist(),
        )
        for number, centroid in enumerate(() if topics.centroids is None else topics.centroids)
    )


def _described(run_topics: RunTopics, topics: Topics) -> list[Topic]:
    queries = [np.flatnonzero(topics.query_topic == topic).tolist() for topic in range(topics.count)]
    names = [_given_names(run_topics, of_topic) for of_topic in queries]
    words: Sequence[Sequence[str]] = [()] * topics.count
    if not all(names):
        texts, are_for_all = run_topics.texts, run_topics.are_for_all
        words = typical_words([[texts[query] for query in of_topic if are_for_all[query]] for of_topic in queries])
    return [
        Topic(label=topic_label(names[topic], words[topic], topic + 1), names=names[topic], query_count=len(of_topic))
        for topic, of_topic in enumerate(queries)
    ]


def _given_names(run_topics: RunTopics, queries: Sequence[int]) -> tuple[str, ...]:
    counts = Counter(name for name in (run_topics.names[query] for query in queries) if name is not None)
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))


def topic_label(names: Sequence[str], words: Sequence[str], number: int) -> str:
    """The first of the names that the caller gave, else the typical words, else the number of the topic."""
    return ", ".join(names[:MOST_WORDS] or words[:MOST_WORDS]) or f"topic {number}"


def publish_turns(session: AsyncSession, run: EstimationRun, rows: Sequence[RunSource]) -> None:
    """An event and a warning in the log for each source that turned."""
    for row in rows:
        if row.turned_at is None:
            continue
        previous, present = row.periods[-2:]
        alarm = {
            "source_id": str(row.source_id),
            "source_name": row.source_name,
            "turned_at": present["since"],
            "reliability_before": previous["reliability"],
            "reliability": present["reliability"],
            "log_odds": present["log_odds"],
        }
        events.publish(session, run.id, SOURCE_TURNED, alarm)
        log.warning(SOURCE_TURNED, estimation_id=str(run.id), **alarm)


def write_alerts(run: EstimationRun, rows: Sequence[RunSource], previous: PreviousRun | None) -> None:
    """Keep the sources with more periods than before, and those whose whole interval lies below that of before, by
    falling reliability.

    Intervals of different methods are not compared.
    """
    same_method = previous is not None and previous.run.method == run.method
    told = []
    for row in sorted(rows, key=lambda row: (-row.reliability, row.source_name)):
        former = previous.sources.get(row.source_id) if previous else None
        has_turned = len(row.periods) > max(1, len(former.periods) if former else 0)
        has_fallen = former is not None and same_method and _is_below(row, former)
        if has_turned or has_fallen:
            earlier = row.periods[-2]["reliability"] if has_turned or former is None else former.reliability
            told.append(
                {
                    "source_id": str(row.source_id),
                    "source_name": row.source_name,
                    "change": "turned" if has_turned else "fell",
                    "turned_at": row.periods[-1]["since"] if has_turned else None,
                    "reliability_before": earlier,
                    "reliability": row.reliability,
                }
            )
    run.alerts = {"count": len(told), "sources": told}


def _is_below(row: RunSource, former: RunSource) -> bool:
    return row.upper is not None and former.lower is not None and row.upper < former.lower


async def write_dissents(
    session: AsyncSession, run: EstimationRun, sources: Sequence[Source], run_votes: RunVotes, estimate: Estimate
) -> None:
    """The groups of the run, and an event and a warning in the log for each; the caller commits."""
    groups = [await _group(session, run, sources, run_votes, found) for found in estimate.dissents]
    run.joint_dissents = [group.model_dump(mode="json") for group in groups]
    for group in run.joint_dissents:
        events.publish(session, run.id, DISSENT_TOGETHER, group)
        log.warning(DISSENT_TOGETHER, estimation_id=str(run.id), **group)


async def _group(
    session: AsyncSession,
    run: EstimationRun,
    sources: Sequence[Source],
    run_votes: RunVotes,
    found: EstimatedDissent,
) -> JointDissent:
    texts = await query_texts(session, run, [run_votes.query_ids[query] for query in found.queries])
    wordings = await class_wordings(session, run_votes, np.array(found.queries), np.array(found.answers))
    return JointDissent(
        source_ids=tuple(sources[member].id for member in found.members),
        source_names=tuple(sources[member].name for member in found.members),
        log_odds=found.log_odds,
        queries=tuple(
            DissentedQuery(
                query_id=run_votes.query_ids[query],
                query_text=texts[run_votes.query_ids[query]],
                answer=wordings.get((query, answer)),
            )
            for query, answer in zip(found.queries, found.answers, strict=True)
        ),
    )
