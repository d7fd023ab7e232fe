"""The number of topics and the assignment of queries to them, decided by votes that were held out.

The queries are dealt to five folds. What a candidate - so many clusters of queries in so many topics - learns from four
of them predicts the votes of the fifth: `q log p + (1 - q) log (1 - p)` for a vote that is right with probability q and
was expected to be with p. One topic stands unless a candidate predicts better, by more than `_LEAST_GAIN` and more than
the standard error of its gain.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from estimator.arrays.types import Floats, Integers
from estimator.arrays.vote_table import VoteTable
from estimator.result import Topics
from estimator.topics.profiles import Profiles, fit_profiles
from estimator.topics.queries import QueryTopics

# Clusters at each level of detail; each has two queries or more on average.
_COUNTS: Final = (2, 4, 8, 16, 32, 64, 128)
# Queries that the clusters are made of, as their distances are all computed; the others join the nearest cluster.
_MOST_QUERIES: Final = 2_000
_CHUNK: Final = 65_536
# Time and memory grow with the number of clusters.
_MOST_GIVEN: Final = 128

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """M queries in T clusters."""

    label: Integers
    """(M,) cluster of every query, from 0."""
    centroids: Vectors | None
    """(T, d) of length 1, None without embeddings; 0 for a given topic whose queries have none."""
    count: int
    """T."""

    @classmethod
    def of(cls, label: Integers, vectors: Vectors | None) -> Self:
        count = int(label.max()) + 1
        return cls(label, None if vectors is None else _centroids(label, vectors, count), count)


def levels(queries: QueryTopics) -> Iterator[Clusters]:
    """The candidate clusterings: one where topics were given, else one for each level of detail, coarse to fine."""
    if queries.given is not None and (queries.given >= 0).any():
        yield _given(queries.given, queries.vectors)
    elif queries.vectors is not None:
        yield from _by_embedding(queries.vectors)


def nearest(vectors: Vectors, centroids: Vectors) -> Integers:
    """(M,) the centroid with the largest cosine similarity to each of M vectors."""
    parts = [
        np.argmax(vectors[start : start + _CHUNK] @ centroids.T, axis=1) for start in range(0, len(vectors), _CHUNK)
    ]
    return np.concatenate(parts).astype(np.int64) if parts else np.empty(0, dtype=np.int64)


def _given(given: Integers, vectors: Vectors | None) -> Clusters:
    """The given topics, of more than `_MOST_GIVEN` those with most queries. A query of none of them joins the nearest;
    without embeddings such queries are one more cluster.
    """
    kept = np.sort(np.argsort(-np.bincount(given[given >= 0]), kind="stable")[:_MOST_GIVEN])
    number = np.full(int(given.max()) + 2, -1)  # the last one for -1
    number[kept] = np.arange(kept.size)
    label = number[given]
    without = label < 0
    if without.any() and vectors is None:
        label[without] = kept.size
    elif without.any() and vectors is not None:
        label[without] = nearest(vectors[without], _centroids(label[~without], vectors[~without], kept.size))
    return Clusters.of(label, vectors)


def _by_embedding(vectors: Vectors) -> Iterator[Clusters]:
    """Average linkage by cosine distance (Sokal & Michener 1958), cut at every count."""
    from scipy.cluster.hierarchy import fcluster, linkage  # noqa: PLC0415  (takes 0.1 s, and few processes estimate)
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    step = -(-len(vectors) // _MOST_QUERIES)
    sample = vectors[::step].astype(np.float64)
    if len(sample) < 2 * _COUNTS[0]:
        return
    distance = np.maximum(1.0 - sample @ sample.T, 0.0)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), "average")
    for count in _COUNTS:
        if 2 * count <= len(sample):
            label = fcluster(tree, count, "maxclust").astype(np.int64) - 1
            clusters = Clusters.of(np.unique(label, return_inverse=True)[1], vectors[::step])
            if step > 1 and clusters.centroids is not None:
                label = nearest(vectors, clusters.centroids)
                clusters = Clusters(label, clusters.centroids, clusters.count)
            yield clusters


def _centroids(label: Integers, vectors: Vectors, count: int) -> Vectors:
    total = np.zeros((count, vectors.shape[1]))
    np.add.at(total, label, vectors)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    centroids: Vectors = np.divide(total, length, out=total, where=length > 0).astype(np.float32)
    return centroids


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
        right, votes = self.right.sum(axis=0) - self.right, self.votes.sum(axis=0) - self.votes
        overall = _shares(right.sum(axis=1), votes.sum(axis=1))
        expected, without = fit_profiles(right, votes, overall, count).predicted(), overall[:, None]
        wrong = self.votes - self.right
        gains = self.right * np.log(expected / without) + wrong * np.log((1 - expected) / (1 - without))
        of_clusters = gains.sum(axis=2)
        return float(of_clusters.sum()), float(of_clusters.std() * np.sqrt(of_clusters.size))


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
