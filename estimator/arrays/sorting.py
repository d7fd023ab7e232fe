"""Votes sorted by query, answer and source: packed into one integer each, sorted, and unpacked again."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.types import Flags, Indices, Integers, Scalar

Keys = NDArray[np.unsignedinteger[Any]]

# Several passes over what fits the second-level cache cost hardly more than one.
_BLOCK: Final = 1 << 16
# A bitmap of all (query, source) pairs is cheaper than sorting the votes up to so many pairs a vote.
_PAIRS_PER_VOTE: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class SortedVotes:
    """V votes of C (query, answer) classes."""

    source: Indices
    """(V,) source of every vote."""
    start: Indices
    """(C + 1,) first vote of every class, then V."""
    query: Indices
    """(C,)"""
    answer: Integers
    """(C,)"""
    repeated: bool
    """Whether any source votes twice on a query."""


@dataclass(frozen=True, slots=True)
class BitWidths:
    """Bits that the parts of a sort key take."""

    query: int
    answer: int
    source: int

    @classmethod
    def of(cls, queries: int, answers: int, sources: int) -> Self:
        return cls(queries.bit_length(), answers.bit_length(), sources.bit_length())

    @property
    def total(self) -> int:
        return self.query + self.answer + self.source


def largest_id(ids: NDArray[Any]) -> int:
    """The largest of integers of any type, -1 if there are none or any is below 0, in one pass."""
    if not ids.size:
        return -1
    if ids.dtype.kind == "u":
        return int(ids.max())
    top = int(ids.view(ids.dtype.str.replace("i", "u")).max())  # what is negative has the highest bit
    return top if top <= np.iinfo(ids.dtype).max else -1


def sort_votes(
    queries: NDArray[Any], answers: NDArray[Any], sources: NDArray[Any], widths: BitWidths | None = None
) -> SortedVotes:
    """Sort three parallel arrays (V,) of integers of 0 or more; `widths` are their bits, where these are known."""
    widths = widths or BitWidths.of(*(max(largest_id(ids), 0) for ids in (queries, answers, sources)))
    if widths.total > 64:
        return sort_by_columns(queries, answers, sources)
    key = _packed((queries, answers, sources), widths)
    key.sort()
    return _unpacked(key, widths, repeated=_any_repeat(key, widths))


def sort_by_columns(queries: NDArray[Any], answers: NDArray[Any], sources: NDArray[Any]) -> SortedVotes:
    """Like `sort_votes`, for ids too large to be packed into 64 bits."""
    places = np.lexsort((sources, answers, queries))
    query, answer, source = queries[places], answers[places], sources[places]
    start = np.flatnonzero(starts(query) | starts(answer))
    ends = np.append(start, source.size).astype(np.int32)
    voted = np.lexsort((source, query))
    repeated = ~(starts(query[voted]) | starts(source[voted]))
    return SortedVotes(
        source=source.astype(np.int32),
        start=ends,
        query=query[start].astype(np.int32),
        answer=answer[start].astype(np.int64),
        repeated=bool(repeated.any()),
    )


def first_repeat(votes: SortedVotes, source_count: int) -> tuple[int, int, int]:
    """Query and source of the first pair with two votes, and the number of surplus votes."""
    pair = np.repeat(votes.query.astype(np.int64), np.diff(votes.start)) * source_count
    pair += votes.source
    pair.sort()
    twice = np.flatnonzero(pair[1:] == pair[:-1])
    query, source = divmod(int(pair[twice[0]]), source_count)
    return query, source, twice.size


def starts(values: NDArray[Scalar]) -> Flags:
    """(n,) whether an element differs from the one before it; True for the first."""
    different = np.ones(values.size, dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=different[1:])
    return different


def unique_inverse(values: Integers, bound: int) -> tuple[Integers, Integers]:
    """The unique values, rising, and the index of each value in them; as `np.unique`, without sorting where all are
    from 0 to below a small `bound`.
    """
    if bound > max(values.size, _BLOCK):
        unique, inverse = np.unique(values, return_inverse=True)
        return unique, inverse
    present = np.zeros(bound, dtype=np.bool_)
    present[values] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[values]


def cache_blocks(size: int) -> Iterator[slice]:
    """Slices that cover `size` elements, each small enough for the cache."""
    return (slice(begin, min(begin + _BLOCK, size)) for begin in range(0, size, _BLOCK))


def _packed(columns: tuple[NDArray[Any], NDArray[Any], NDArray[Any]], widths: BitWidths) -> Keys:
    queries, answers, sources = columns
    kind = np.uint32 if widths.total <= 32 else np.uint64
    key: Keys = np.empty(queries.size, dtype=kind)
    for block in cache_blocks(key.size):
        part = key[block]
        part[:] = queries[block]
        part <<= kind(widths.answer)
        part |= answers[block].astype(kind)
        part <<= kind(widths.source)
        part |= sources[block].astype(kind)
    return key


def _unpacked(key: Keys, widths: BitWidths, *, repeated: bool) -> SortedVotes:
    """Unpack sorted keys; the memory of keys of 4 bytes is reused for the sources."""
    kind = key.dtype.type
    first = _class_starts(key, kind(widths.source))
    count = int(np.count_nonzero(first))
    start, query = np.empty(count + 1, dtype=np.int32), np.empty(count, dtype=np.int32)
    answer, begin = np.empty(count, dtype=np.int64), 0
    source = key.view(np.int32) if key.itemsize == 4 else np.empty(key.size, dtype=np.int32)
    for block in cache_blocks(key.size):
        part, places = key[block], np.flatnonzero(first[block])
        classes, here = part[places] >> kind(widths.source), slice(begin, begin + places.size)
        start[here] = places + block.start
        query[here] = classes >> kind(widths.answer)
        answer[here] = classes & kind((1 << widths.answer) - 1)
        source[block] = part & kind((1 << widths.source) - 1)
        begin = here.stop
    start[count] = key.size
    return SortedVotes(source, start, query, answer, repeated)


def _class_starts(key: Keys, source_bits: np.unsignedinteger[Any]) -> Flags:
    first = np.ones(key.size, dtype=np.bool_)
    for block in cache_blocks(key.size):
        part = key[max(block.start - 1, 0) : block.stop] >> source_bits
        np.not_equal(part[1:], part[:-1], out=first[max(block.start, 1) : block.stop])
    return first


def _any_repeat(key: Keys, widths: BitWidths) -> bool:
    """Whether a source votes twice on a query, looking at some whole queries at a time."""
    kind = key.dtype.type
    shift, mask = kind(widths.answer + widths.source), kind((1 << widths.source) - 1)
    for block in _whole_queries(key, int(shift)):
        part = key[block]
        pair = part >> shift
        bound = (int(pair[-1] - pair[0]) + 1) << widths.source
        pair -= pair[0]
        pair <<= kind(widths.source)
        pair |= part & mask
        if _has_duplicates(pair, bound):
            return True
    return False


def _has_duplicates(pairs: Keys, bound: int) -> bool:
    """Whether any number, all of them below `bound`, occurs twice."""
    if bound <= _PAIRS_PER_VOTE * pairs.size:
        seen = np.zeros(bound, dtype=np.bool_)
        seen[pairs] = True
        return int(np.count_nonzero(seen)) != pairs.size
    small = pairs.astype(np.uint32) if bound <= 1 << 32 else pairs
    small.sort()
    return bool((small[1:] == small[:-1]).any())


def _whole_queries(key: Keys, shift: int) -> Iterator[slice]:
    """Slices of sorted keys that end where a query ends; larger than the cache only where a single query is."""
    kind, begin = key.dtype.type, 0
    while begin < key.size:
        end = begin + _BLOCK
        if end < key.size:
            query = int(key[end]) >> shift << shift
            end = int(np.searchsorted(key, kind(query)))
            if end <= begin:
                end = int(np.searchsorted(key, kind(query | (1 << shift) - 1), side="right"))
        yield slice(begin, min(end, key.size))
        begin = end
