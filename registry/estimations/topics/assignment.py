"""The topics of a run: what is known of its queries before the estimate, and what is stored of them after it."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from estimator import QueryTopics
from estimator.methods import method_named
from estimator.result import TopicReliabilities, Topics
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.votes import RunVotes
from registry.estimations.topics.labels import topic_label, typical_words
from registry.estimations.topics.schemas import Topic
from registry.estimations.topics.store import expanded, queries_with_topics, write_centroids
from registry.platform.database.base import AsyncSession
from registry.runtime import Runtime


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
    """What is known of the topics of the queries; None where the parameters or the method take none.

    Raises what the embedder raises.
    """
    if parameters.topics == "none" or "topics" not in method_named(parameters.method).parameters:
        return None
    async with runtime.database.begin() as session:
        found = await queries_with_topics(session, run_votes.estimation_id)
    texts, names, are_for_all = map(list, zip(*found, strict=True))
    vectors = await runtime.embedder.embed(texts)
    async with runtime.database.begin() as session:
        vectors = await expanded(session, run_votes.estimation_id, run_votes.query_ids, vectors)
    number = {name: index for index, name in enumerate(sorted({name for name in names if name is not None}))}
    numbers = np.array([-1 if name is None else number[name] for name in names], dtype=np.int64)
    return RunTopics(texts, names, are_for_all, QueryTopics(numbers, vectors, parameters.topic_count))


async def write_topics(
    session: AsyncSession, run: EstimationRun, run_topics: RunTopics, estimates: TopicReliabilities
) -> None:
    """Store the topics of the run and the centroids of its clusters of queries."""
    topics = estimates.topics
    # In a thread, as it takes seconds for very many queries.
    described = await asyncio.to_thread(_described, run_topics, topics)
    run.topics = [topic.model_dump(mode="json") for topic in described]
    await write_centroids(session, run, topics)


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
