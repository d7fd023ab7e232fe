"""The number of topics and the assignment of queries to them, decided by votes that were held out.

The queries are dealt to five folds. What a candidate - so many clusters of queries in so many topics - learns from four
of them predicts the votes of the fifth: `q log p + (1 - q) log (1 - p)` for a vote that is right with probability q and
was expected to be with p. One topic stands unless a candidate predicts better, by more than `_LEAST_GAIN` and more than
the standard error of its gain.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import softmax

from estimator.arrays.types import Floats, Integers
from estimator.arrays.vote_table import VoteTable
from estimator.result import Topics
from estimator.topics.clusters import Clusters, levels
from estimator.topics.profiles import Profiles, fit_profiles
from estimator.topics.queries import QueryTopics

_FOLDS: Final = 5
_TOPICS: Final = (2, 3, 4, 6)
# Votes and sources, those with most votes, that are enough to tell topics by.
_MOST_VOTES: Final = 400_000
_MOST_SOURCES: Final = 500
# The kernel that places questions is exp(10 cos); benchmarks/notes/topics.md has half and double.
_SHARPNESS: Final = 10.0
# Of so few queries a handful on which three copies of a source happen to be right looked like a topic.
_FEWEST_QUERIES: Final = 40
_LEAST_GAIN: Final = 6.0
"""Nats that several topics must gain; benchmarks/notes/topics.md says which data chose it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Folds:
    """Expected number of right votes, and number of votes, of N sources on T clusters in each fold, (folds, T, N)."""

    right: Floats
    votes: Floats

    def gain(self, count: int) -> tuple[float, float]:
        """Log-likelihood of the held-out votes with `count` topics, less that with one, and its standard error."""
        gains = np.concatenate([self._gain(fold, count) for fold in range(len(self.right))])
        return float(gains.sum()), float(gains.std() * np.sqrt(gains.size))

    def _gain(self, fold: int, count: int) -> Floats:
        right, votes = self.right.sum(axis=0) - self.right[fold], self.votes.sum(axis=0) - self.votes[fold]
        overall = _shares(right.sum(axis=0), votes.sum(axis=0))
        expected = fit_profiles(right, votes, overall, count).predicted()
        held_out, wrong = self.right[fold], self.votes[fold] - self.right[fold]
        better = held_out * np.log(expected / overall) + wrong * np.log((1 - expected) / (1 - overall))
        gain: Floats = better.sum(axis=1)
        return gain


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """Clusters in so many topics, and what they gain."""

    clusters: Clusters
    folds: _Folds
    count: int
    gain: float
    error: float


def topic_probabilities(similarity: Floats, share: Floats, cluster_size: Integers) -> Floats:
    """(Q, G) probabilities of the topics of Q questions, given their cosine similarities (Q, T) to the centres of the
    clusters: a kernel estimate over the queries, each taken for at the centre of its cluster.

    >>> similarity, share = np.array([[0.9, 0.1]]), np.eye(2)
    >>> topic_probabilities(similarity, share, np.array([5, 5])).round(3).tolist()
    [[1.0, 0.0]]
    """
    logs = _SHARPNESS * similarity + np.log(np.maximum(cluster_size, 1))
    probabilities: Floats = softmax(logs, axis=1) @ share
    return probabilities


def sample_rows(table: VoteTable) -> Integers:
    """Rows of the table with enough votes to tell topics by, evenly spread."""
    return np.arange(0, table.query.size, -(-max(table.source.size, 1) // _MOST_VOTES))


def find_topics(table: VoteTable, right: Floats, queries: QueryTopics) -> Topics | None:
    """The topics of the queries (M,), given the probability `right` (C,) of every class of a sample of them; None if
    held-out votes do not speak for several.
    """
    if queries.is_unnamed and queries.count is None and table.query.size < _FEWEST_QUERIES:
        return None
    best: _Candidate | None = None
    for clusters in levels(queries):
        candidate = _best_of(clusters, _count(table, right, clusters), queries.count)
        if candidate is not None and (best is None or candidate.gain > best.gain):
            best = candidate
    if best is None:
        return None
    right_votes, votes = best.folds.right.sum(axis=0), best.folds.votes.sum(axis=0)
    overall = _shares(right_votes.sum(axis=0), votes.sum(axis=0))
    return _topics(best, fit_profiles(right_votes, votes, overall, best.count))


def _best_of(clusters: Clusters, folds: _Folds, count: int | None) -> _Candidate | None:
    """The fewest topics that gain as much as the best number of them, but for a standard error; None without gain."""
    candidates = [_Candidate(clusters, folds, topics, *folds.gain(topics)) for topics in _counts(clusters.count, count)]
    if count is None:
        candidates = [each for each in candidates if each.gain > max(_LEAST_GAIN, each.error)]
    if not candidates:
        return None
    best = max(candidates, key=lambda each: each.gain)
    return next(each for each in candidates if each.gain >= best.gain - best.error)


def _counts(clusters: int, count: int | None) -> Iterator[int]:
    """Numbers of topics to try with so many clusters; as many topics as clusters means that none are joined."""
    if count is None:
        yield from (topics for topics in (*_TOPICS, clusters) if 1 < topics <= clusters)
    elif count > 1:
        yield min(count, clusters)


def _count(table: VoteTable, right: Floats, clusters: Clusters) -> _Folds:
    kept = np.sort(np.argsort(-table.source_votes, kind="stable")[:_MOST_SOURCES])
    place = np.full(table.source_count, -1)
    place[kept] = np.arange(kept.size)
    fold = np.random.default_rng(0).permutation(table.query.size) % _FOLDS
    cell = np.repeat((fold * clusters.count + clusters.label[table.query])[table.row], np.diff(table.class_start))
    source = place[table.source]
    known = source >= 0
    number = cell[known] * kept.size + source[known]
    probability = np.repeat(right, np.diff(table.class_start))[known]
    shape = (_FOLDS, clusters.count, kept.size)
    expected = np.bincount(number, probability, minlength=np.prod(shape)).reshape(shape)
    votes = np.bincount(number, minlength=np.prod(shape)).reshape(shape).astype(np.float64)
    return _Folds(np.minimum(expected, votes), votes)


def _shares(right: Floats, votes: Floats) -> Floats:
    shares: Floats = (right + 1) / (votes + 2)
    return shares


def _topics(chosen: _Candidate, profiles: Profiles) -> Topics | None:
    """None where all queries turn out to belong to one topic."""
    topic = np.argmax(profiles.share, axis=1)[chosen.clusters.label]
    size = np.bincount(topic, minlength=profiles.share.shape[1])
    order = np.argsort(-size, kind="stable")[: int((size > 0).sum())]
    if order.size < 2:
        return None
    number = np.full(size.size, -1, dtype=np.int32)
    number[order] = np.arange(order.size)
    share = profiles.share[:, order]
    share /= share.sum(axis=1, keepdims=True)
    size = np.bincount(chosen.clusters.label, minlength=chosen.clusters.count)
    return Topics(number[topic], share, chosen.clusters.centroids, size, chosen.gain)
