"""Votes, stored compactly and in an order of their own."""

from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from estimator.errors import EstimatorError

Integers = NDArray[np.int64]
Kind = TypeVar("Kind", bound=np.generic)

_LARGEST_INDEX = np.iinfo(np.int32).max
_LARGEST_ID = np.iinfo(np.int64).max
_KEY_BITS = 63


@dataclass(frozen=True, slots=True, eq=False)
class VoteMatrix:
    """Who voted for what: V votes of N sources for C (query, answer) classes of M queries.

    Votes are ordered by query, answer and source, whatever order they came in; class c holds the votes
    `class_start[c]` to `class_start[c + 1]`. 4 bytes a vote and 16 a class, so at most 20 a vote. Read-only.
    """

    query_count: int
    source_count: int
    source: NDArray[np.int32]
    """(V,) source of every vote, rising within a class."""
    class_start: NDArray[np.int32]
    """(C + 1,) first vote of every class, then V."""
    class_query: NDArray[np.int32]
    """(C,) query of every class, rising."""
    class_answer: Integers
    """(C,) answer id of every class, rising within a query."""

    @classmethod
    def from_triples(
        cls, query: ArrayLike, source: ArrayLike, answer: ArrayLike, *, query_count: int, source_count: int
    ) -> Self:
        """Votes from three parallel (V,) integer arrays; an abstention is a vote that is not there.

        `answer` is any id of 0 or more that tells the answers to one query apart; ids of different queries
        have nothing to do with each other. Raises EstimatorError for anything else, and for two votes of one
        source on one query.
        """
        _require_count("query_count", query_count)
        _require_count("source_count", source_count)
        queries, sources, answers = _parallel(query=query, source=source, answer=answer)
        _require_indices("query", queries, query_count)
        _require_indices("source", sources, source_count)
        _require_indices("answer", answers, None)
        _require_one_vote_each(queries, sources, source_count)
        votes = _ordered(queries, answers, sources)
        return cls(
            query_count=query_count,
            source_count=source_count,
            source=read_only(votes.source.astype(np.int32)),
            class_start=read_only(np.append(votes.start, queries.size).astype(np.int32)),
            class_query=read_only(votes.query.astype(np.int32)),
            class_answer=read_only(votes.answer),
        )

    @property
    def vote_count(self) -> int:
        """V."""
        return self.source.size

    @property
    def class_count(self) -> int:
        """C: how many different answers all queries together received."""
        return self.class_query.size

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (self.source, self.class_start, self.class_query, self.class_answer)
        return sum(array.nbytes for array in arrays)

    def triples(self) -> tuple[Integers, Integers, Integers]:
        """The votes as (V,) query, source and answer, in this matrix's own order."""
        size = np.diff(self.class_start)
        query = np.repeat(self.class_query.astype(np.int64), size)
        return query, self.source.astype(np.int64), np.repeat(self.class_answer, size)


def _require_count(name: str, count: int) -> None:
    if not 0 <= count <= _LARGEST_INDEX:
        message = f"{name} is {count}; give a number from 0 to {_LARGEST_INDEX}"
        raise EstimatorError(message)


def _parallel(**columns: ArrayLike) -> tuple[Integers, ...]:
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    sizes = {name: array.shape for name, array in arrays.items()}
    if len(set(sizes.values())) != 1 or any(array.ndim != 1 for array in arrays.values()):
        message = f"query, source and answer must be flat arrays of one length, not of shapes {sizes}"
        raise EstimatorError(message)
    if arrays["query"].size > _LARGEST_INDEX:
        message = f"more than {_LARGEST_INDEX} votes; estimate parts of the corpus separately"
        raise EstimatorError(message)
    return tuple(_integers(name, array) for name, array in arrays.items())


def _integers(name: str, array: NDArray[Any]) -> Integers:
    if array.size and not np.issubdtype(array.dtype, np.integer):
        message = f"{name} holds {array.dtype}; number its values and give integers"
        raise EstimatorError(message)
    if array.dtype == np.uint64 and array.size and int(array.max()) > _LARGEST_ID:
        message = f"{name} holds {array.max()}; ids go up to {_LARGEST_ID}, number them from 0"
        raise EstimatorError(message)
    return array.astype(np.int64, copy=False)


def _require_indices(name: str, values: Integers, count: int | None) -> None:
    if not values.size:
        return
    lowest, highest = int(values.min()), int(values.max())
    if lowest < 0:
        message = f"{name} holds {lowest}; ids start at 0, and an abstention is left out, not numbered"
        raise EstimatorError(message)
    if count is not None and highest >= count:
        message = f"{name} holds {highest}, but {name}_count is {count}; count all of them, or number from 0"
        raise EstimatorError(message)


def _require_one_vote_each(queries: Integers, sources: Integers, source_count: int) -> None:
    pair = queries * source_count + sources
    if (pair[1:] > pair[:-1]).all():  # the usual order of arrival needs no sorting
        return
    pair.sort()
    twice = np.flatnonzero(pair[1:] == pair[:-1])
    if twice.size:
        query, source = divmod(int(pair[twice[0]]), source_count)
        message = (
            f"source {source} votes more than once on query {query} ({twice.size} votes too many in all); "
            "keep one vote of a source on a query"
        )
        raise EstimatorError(message)


@dataclass(frozen=True, slots=True, eq=False)
class _Ordered:
    """Votes by query, answer and source: (V,) sources, and (C,) first votes, queries and answers of the classes."""

    source: Integers
    start: Integers
    query: Integers
    answer: Integers


def _ordered(queries: Integers, answers: Integers, sources: Integers) -> _Ordered:
    answer_bits, source_bits = (int(ids.max(initial=0)).bit_length() for ids in (answers, sources))
    if int(queries.max(initial=0)).bit_length() + answer_bits + source_bits > _KEY_BITS:
        return _ordered_by_columns(queries, answers, sources)
    key = queries << answer_bits
    key |= answers
    key <<= source_bits
    key |= sources
    key.sort()  # one packed number sorts five times as fast as three columns
    source = key & ((1 << source_bits) - 1)
    key >>= source_bits
    start = np.flatnonzero(starts(key))
    return _Ordered(source, start, key[start] >> answer_bits, key[start] & ((1 << answer_bits) - 1))


def _ordered_by_columns(queries: Integers, answers: Integers, sources: Integers) -> _Ordered:
    order = np.lexsort((sources, answers, queries))
    queries, answers = queries[order], answers[order]
    start = np.flatnonzero(starts(queries) | starts(answers))
    return _Ordered(sources[order], start, queries[start], answers[start])


def starts(values: NDArray[Kind]) -> NDArray[np.bool_]:
    """Whether an element differs from the one before it; the first one always does."""
    different = np.ones(values.size, dtype=np.bool_)
    different[1:] = values[1:] != values[:-1]
    return different


def read_only(array: NDArray[Kind]) -> NDArray[Kind]:
    """The same array, closed to writing."""
    array.flags.writeable = False
    return array
