"""Clusters of queries: the topics that were given, or groups of near embeddings at several levels of detail."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.types import Integers
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
        """The clusters of these labels."""
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
