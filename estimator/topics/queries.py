"""The knowledge of the topics of queries before any vote."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.types import Integers
from estimator.errors import EstimatorError

NEAREST_PASSAGES = 10
"""Passages that tell what a query is about; half and double of it find the topic of as many questions
(benchmarks/notes/topics.md)."""
PASSAGE_WEIGHT = 2.0
"""Weight of the mean of these passages, the query weighing 1 (benchmarks/notes/topics.md has 0.5 and 1)."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryTopics:
    """Topics given to M queries, their embeddings, or both.

    >>> import numpy as np
    >>> QueryTopics(given=np.array([0, 0, 1, -1])).query_count
    4
    """

    given: Integers | None = None
    """(M,) number of the topic that the caller gave, from 0; -1 for a query without one."""
    vectors: NDArray[np.float32] | None = None
    """(M, d) embeddings of length 1. With given topics, they place the queries that have none."""
    count: int | None = None
    """Number of topics; None for as many as held-out votes support."""

    def __post_init__(self) -> None:
        """Raise EstimatorError for arrays of different lengths, and for a count below 1."""
        sizes = {len(part) for part in (self.given, self.vectors) if part is not None}
        if len(sizes) != 1:
            raise EstimatorError(f"give the topics or the embeddings of all queries, not of {sorted(sizes)} queries")
        if self.count is not None and self.count < 1:
            raise EstimatorError(f"there is at least 1 topic, not {self.count}")

    @property
    def is_single(self) -> bool:
        """Whether there can only be one topic."""
        if self.count == 1:
            return True
        places = self.vectors is None or (self.given is not None and bool((self.given >= 0).all()))
        return places and self.given is not None and bool((self.given == self.given[:1]).all())

    @property
    def is_unnamed(self) -> bool:
        """Whether the caller gave no topic."""
        return self.given is None or bool((self.given < 0).all())

    @property
    def query_count(self) -> int:
        """M."""
        return len(self.vectors if self.given is None else self.given)  # type: ignore[arg-type]  # one of them is there


def expanded(vectors: NDArray[np.float32], contexts: NDArray[np.float32]) -> NDArray[np.float32]:
    """The embeddings (M, d) of queries, each combined with the mean of those of the passages nearest to it.

    Rocchio's relevance feedback (1971): passages tell what a query is about better than its few words. On the `topics`
    world this gives the right topic of 95 % of the questions instead of 83 %.
    """
    total = vectors + PASSAGE_WEIGHT * contexts
    length = np.linalg.norm(total, axis=1, keepdims=True)
    combined: NDArray[np.float32] = np.divide(total, length, out=np.zeros_like(total), where=length > 0)
    return combined
