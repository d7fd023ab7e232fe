"""Votes of sources that are good on some topics and bad on others, with embeddings of the queries."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.types import Floats, Integers
from estimator.votes import VoteMatrix


@dataclass(frozen=True, slots=True)
class TopicScenario:
    """What to draw: N sources, M queries on so many subjects, each of one of so many topics.

    A source is right with `good` on one topic, with `bad` on the others; with one topic, with a reliability from
    Beta(6, 4).
    """

    source_count: int = 9
    query_count: int = 200
    topic_count: int = 2
    subjects: int = 48
    coverage: float = 0.6
    good: float = 0.9
    bad: float = 0.3
    wrong_answers: int = 9
    spread: float = 0.6
    """Standard deviation of the embeddings of a subject, against 1 of the subjects themselves."""
    dimension: int = 32


@dataclass(frozen=True, slots=True, eq=False)
class TopicSample:
    """Votes with the truth that they were drawn from."""

    votes: VoteMatrix
    truth: Integers
    """(M,) id of the right answer."""
    topic: Integers
    """(M,)"""
    subject: Integers
    """(M,)"""
    vectors: NDArray[np.float32]
    """(M, d) of length 1; queries of one subject are near, subjects of one topic are not."""
    true_reliability: Floats
    """(N, G)"""


def draw_topics(scenario: TopicScenario, random: np.random.Generator) -> TopicSample:
    """Draw one sample; a wrong vote is for any wrong answer with equal probability.

    >>> draw_topics(TopicScenario(query_count=50), np.random.default_rng(0)).vectors.shape
    (50, 32)
    """
    queries, topics = scenario.query_count, scenario.topic_count
    subject = random.integers(scenario.subjects, size=queries)
    topic = (np.arange(scenario.subjects) % topics)[subject]
    centre = random.normal(size=(scenario.subjects, scenario.dimension))
    vectors = centre[subject] + scenario.spread * random.normal(size=(queries, scenario.dimension))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    votes, truth, reliability = draw_votes(scenario, topic, random)
    return TopicSample(votes, truth, topic, subject, vectors.astype(np.float32), reliability)


def draw_votes(
    scenario: TopicScenario, topic: Integers, random: np.random.Generator
) -> tuple[VoteMatrix, Integers, Floats]:
    """Votes on queries of these topics (M,), the right answers (M,), and the true reliabilities (N, G)."""
    sources, topics, queries = scenario.source_count, scenario.topic_count, topic.size
    if topics == 1:
        reliability = random.beta(6.0, 4.0, size=(sources, 1))
    else:
        expert = np.arange(sources)[:, None] % topics == np.arange(topics)
        reliability = np.where(expert, scenario.good, scenario.bad)
    query, source = np.nonzero(random.random((queries, sources)) < scenario.coverage)
    truth = random.integers(scenario.wrong_answers + 1, size=queries)
    right = random.random(query.size) < reliability[source, topic[query]]
    wrong = random.integers(1, scenario.wrong_answers + 1, size=query.size)
    answer = (truth[query] + np.where(right, 0, wrong)) % (scenario.wrong_answers + 1)
    votes = VoteMatrix.from_triples(query, source, answer, query_count=queries, source_count=sources)
    return votes, truth, reliability
