"""Sources that are good on some topics and bad on others, and sources that are the same on all:
`python -m benchmarks.estimator.topics` measures this part alone.

Drawn votes with embeddings of 48 subjects whose topics lie anywhere, so that no few clusters of embeddings are the
topics. Half of the queries estimate, the other half are questions: their topic is told by the clusters near them, and
the four sources that are the most reliable on it vote. Seeds 500 and up chose how much topics must gain; results are
those of seeds 0 and up.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchmarks.estimator import BENCHMARK
from benchmarks.harness import Report, interval, run
from estimator import Estimate, QueryTopics, VoteMatrix, estimate
from estimator.result import Topics
from estimator.topics import topic_probabilities
from estimator.weights import log_odds
from tests.estimator.topics.synthetic import TopicSample, TopicScenario, draw_topics

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

WORLDS: Mapping[str, TopicScenario] = {
    "2 topics, 200 queries": TopicScenario(query_count=400),
    "2 topics, 1,000 queries": TopicScenario(query_count=2_000),
    "3 topics, 400 queries": TopicScenario(query_count=800, topic_count=3),
    "2 topics, 0.8 and 0.5": TopicScenario(query_count=800, good=0.8, bad=0.5),
    "2 topics, 40 sources, coverage 0.2": TopicScenario(query_count=800, source_count=40, coverage=0.2),
}
SAME: Mapping[str, TopicScenario] = {
    "9 sources, 200 queries": TopicScenario(topic_count=1),
    "9 sources, 1,000 queries": TopicScenario(topic_count=1, query_count=1_000),
    "40 sources, coverage 0.3": TopicScenario(topic_count=1, source_count=40, query_count=500, coverage=0.3),
    "4 sources, 60 queries": TopicScenario(topic_count=1, source_count=4, query_count=60),
    "one wrong answer": TopicScenario(topic_count=1, wrong_answers=1),
    "5 subjects": TopicScenario(topic_count=1, subjects=5, query_count=300),
}
KAPPA = 4


def measure_topics(report: Report) -> None:
    """Right answers with topics and without, false topics."""
    seeds = 2 if report.options.quick else report.options.seeds
    _gains(report, seeds)
    _losses(report, seeds)


def _gains(report: Report, seeds: int) -> None:
    rows = []
    for name, scenario in WORLDS.items():
        right: dict[str, list[float]] = {}
        for seed in range(seeds):
            sample = draw_topics(scenario, np.random.default_rng(seed))
            for method, topics in _known(sample).items():
                learned = _part(sample, learn=True)
                result = estimate(learned, "one_coin", topics=topics)
                right.setdefault(method, []).append(_share_right(sample, result, method))
        for method, shares in right.items():
            report.figure(f"topics.{name}.{method}", interval(shares).mean)
        rows.append([name, *(str(interval(shares)) for shares in right.values())])
    columns = ["world", *_known(draw_topics(TopicScenario(), np.random.default_rng(0)))]
    report.table("Topics: right answers to new questions by the four most reliable sources", columns, rows)


def _known(sample: TopicSample) -> dict[str, QueryTopics | None]:
    """What is known of the topics of the first half of the queries."""
    half = sample.topic.size // 2
    return {
        "without topics": None,
        "embeddings": QueryTopics(vectors=sample.vectors[:half]),
        "subjects given": QueryTopics(given=sample.subject[:half]),
        "true topics given": QueryTopics(given=sample.topic[:half], count=int(sample.topic.max()) + 1),
    }


def _part(sample: TopicSample, *, learn: bool) -> VoteMatrix:
    """The votes on the first half of the queries, or on the second."""
    half = sample.topic.size // 2
    query, source, answer = sample.votes.triples()
    chosen = (query < half) == learn
    number = query[chosen] if learn else query[chosen] - half
    return VoteMatrix.from_triples(
        number, source[chosen], answer[chosen], query_count=half, source_count=sample.votes.source_count
    )


def _share_right(sample: TopicSample, result: Estimate, method: str) -> float:
    """Right answers to the second half of the queries."""
    half = sample.topic.size // 2
    reliability = np.tile(result.reliability, (half, 1))
    if result.topics is not None:
        reliability = _probabilities(sample, result.topics.topics, method) @ result.topics.reliability.T
    weight = log_odds(reliability) + np.log(max(result.labels - 1, 1))
    return float((elected(_part(sample, learn=False), weight) == sample.truth[half:]).mean())


def _probabilities(sample: TopicSample, topics: Topics, method: str) -> Floats:
    """(Q, G) of the topics of the questions, by name or by embedding."""
    half = sample.topic.size // 2
    labels = {"subjects given": sample.subject, "true topics given": sample.topic}.get(method)
    if labels is None:
        similarity = sample.vectors[half:] @ np.asarray(topics.centroids).T
        return topic_probabilities(similarity, topics.share, topics.cluster_size)
    of_label = np.zeros(int(labels.max()) + 1, dtype=np.int64)
    of_label[labels[:half]] = topics.query_topic
    return np.asarray(np.eye(topics.count)[of_label[labels[half:]]])


def elected(votes: VoteMatrix, weight: Floats) -> Integers:
    """The answer to each question by the `KAPPA` voters of the largest weight (M, N); -1 without votes."""
    query, source, answer = votes.triples()
    order = np.lexsort((-weight[query, source], query))
    query, source, answer = query[order], source[order], answer[order]
    elected = np.full(votes.query_count, -1)
    bounds = np.flatnonzero(np.diff(query, prepend=-1, append=votes.query_count))
    for start, end in pairwise(bounds.tolist()):
        voters = slice(start, min(end, start + KAPPA))
        score = np.bincount(answer[voters], weight[query[start], source[voters]])
        candidates = np.unique(answer[voters])
        elected[query[start]] = candidates[np.argmax(score[candidates])]
    return elected


def _losses(report: Report, seeds: int) -> None:
    rows = []
    for name, scenario in SAME.items():
        with_topics, loss = [], []
        for seed in range(seeds):
            sample = draw_topics(scenario, np.random.default_rng(seed))
            topics = QueryTopics(vectors=sample.vectors)
            plain, result = estimate(sample.votes, "one_coin"), estimate(sample.votes, "one_coin", topics=topics)
            with_topics.append(float(result.topics is not None))
            loss.append(float((plain.answer == sample.truth).mean() - (result.answer == sample.truth).mean()))
        report.figure(f"topics.same.{name}.found", float(np.mean(with_topics)))
        report.figure(f"topics.same.{name}.loss", float(np.mean(loss)))
        rows.append(
            [name, str(len(with_topics)), f"{np.mean(with_topics):.3f}", f"{np.mean(loss):.4f}", f"{np.max(loss):.4f}"]
        )
    columns = ["sources that are the same on all topics", "seeds", "topics found", "right answers lost", "most"]
    report.table("False topics, by embeddings", columns, rows)


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="estimator.topics"), measure_topics))
