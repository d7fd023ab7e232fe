"""Votes in order of query, answer and source: packed into one number each, sorted, and taken apart again."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Keys = NDArray[np.unsignedinteger[Any]]
Kind = TypeVar("Kind", bound=np.generic)

# What fits the second-level cache makes several passes for the price of one.
_BLOCK: Final = 1 << 16
# A bitmap of all (query, source) pairs is cheaper than sorting the votes up to so many pairs a vote.
_PAIRS_PER_VOTE: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """V votes of C classes: (V,) sources, and (C,) queries and answers of the classes."""

    source: NDArray[np.int32]
    start: NDArray[np.int32]
    """(C + 1,) first vote of every class, then V."""
    query: NDArray[np.int32]
    answer: Integers
    repeated: bool
    """Whether any source votes twice on a query."""


@dataclass(frozen=True, slots=True)
class Widths:
    """How many bits the parts of a key take."""

    query: int
    answer: int
    source: int

    @classmethod
    def of(cls, queries: int, answers: int, sources: int) -> Self:
        """For ids up to these."""
        return cls(queries.bit_length(), answers.bit_length(), sources.bit_length())

    @property
    def total(self) -> int:
        """Bits of a key."""
        return self.query + self.answer + self.source


def highest(ids: NDArray[Any]) -> int:
    """The largest of integers of any type, -1 if there are none or any is below 0; one look at each."""
    if not ids.size:
        return -1
    if ids.dtype.kind == "u":
        return int(ids.max())
    top = int(ids.view(ids.dtype.str.replace("i", "u")).max())  # what is negative has the highest bit
    return top if top <= np.iinfo(ids.dtype).max else -1


def order(queries: NDArray[Any], answers: NDArray[Any], sources: NDArray[Any], widths: Widths | None = None) -> Ordered:
    """Sort the votes; integers of 0 or more of any type, and the bits they need where these are known."""
    widths = widths or Widths.of(*(max(highest(ids), 0) for ids in (queries, answers, sources)))
    if widths.total > 64:
        return order_by_columns(queries, answers, sources)
    key = _packed((queries, answers, sources), widths)
    key.sort()
    return _unpacked(key, widths, repeated=_any_repeat(key, widths))


def order_by_columns(queries: NDArray[Any], answers: NDArray[Any], sources: NDArray[Any]) -> Ordered:
    """The same for ids too large to be packed."""
    places = np.lexsort((sources, answers, queries))
    query, answer, source = queries[places], answers[places], sources[places]
    start = np.flatnonzero(starts(query) | starts(answer))
    ends = np.append(start, source.size).astype(np.int32)
    voted = np.lexsort((source, query))
    repeated = ~(starts(query[voted]) | starts(source[voted]))
    return Ordered(
        source=source.astype(np.int32),
        start=ends,
        query=query[start].astype(np.int32),
        answer=answer[start].astype(np.int64),
        repeated=bool(repeated.any()),
    )


def first_repeat(votes: Ordered, source_count: int) -> tuple[int, int, int]:
    """Query and source of the first source that votes twice on a query, and how many votes are too many."""
    pair = np.repeat(votes.query.astype(np.int64), np.diff(votes.start)) * source_count
    pair += votes.source
    pair.sort()
    twice = np.flatnonzero(pair[1:] == pair[:-1])
    query, source = divmod(int(pair[twice[0]]), source_count)
    return query, source, twice.size


def starts(values: NDArray[Kind]) -> NDArray[np.bool_]:
    """Whether an element differs from the one before it; the first one always does."""
    different = np.ones(values.size, dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=different[1:])
    return different


def distinct(values: Integers, room: int) -> tuple[Integers, Integers]:
    """The different ones among (V,) numbers from 0 to below `room`, rising, and the place of each number in them."""
    if room > max(values.size, _BLOCK):
        different, place = np.unique(values, return_inverse=True)
        return different, place
    there = np.zeros(room, dtype=np.bool_)
    there[values] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[values]


def blocks(size: int) -> Iterator[slice]:
    """Slices that cover `size` elements and stay in the cache."""
    return (slice(begin, min(begin + _BLOCK, size)) for begin in range(0, size, _BLOCK))


def _packed(columns: tuple[NDArray[Any], NDArray[Any], NDArray[Any]], widths: Widths) -> Keys:
    queries, answers, sources = columns
    kind = np.uint32 if widths.total <= 32 else np.uint64
    key: Keys = np.empty(queries.size, dtype=kind)
    for block in blocks(key.size):
        part = key[block]
        part[:] = queries[block]
        part <<= kind(widths.answer)
        part |= answers[block].astype(kind)
        part <<= kind(widths.source)
        part |= sources[block].astype(kind)
    return key


def _unpacked(key: Keys, widths: Widths, *, repeated: bool) -> Ordered:
    """Take sorted keys apart; those of 4 bytes become the sources, to spare the memory."""
    kind = key.dtype.type
    first = _class_starts(key, kind(widths.source))
    count = int(np.count_nonzero(first))
    start, query = np.empty(count + 1, dtype=np.int32), np.empty(count, dtype=np.int32)
    answer, begin = np.empty(count, dtype=np.int64), 0
    source = key.view(np.int32) if key.itemsize == 4 else np.empty(key.size, dtype=np.int32)
    for block in blocks(key.size):
        part, places = key[block], np.flatnonzero(first[block])
        classes, here = part[places] >> kind(widths.source), slice(begin, begin + places.size)
        start[here] = places + block.start
        query[here] = classes >> kind(widths.answer)
        answer[here] = classes & kind((1 << widths.answer) - 1)
        source[block] = part & kind((1 << widths.source) - 1)
        begin = here.stop
    start[count] = key.size
    return Ordered(source, start, query, answer, repeated)


def _class_starts(key: Keys, source_bits: np.unsignedinteger[Any]) -> NDArray[np.bool_]:
    first = np.ones(key.size, dtype=np.bool_)
    for block in blocks(key.size):
        part = key[max(block.start - 1, 0) : block.stop] >> source_bits
        np.not_equal(part[1:], part[:-1], out=first[max(block.start, 1) : block.stop])
    return first


def _any_repeat(key: Keys, widths: Widths) -> bool:
    """Whether a source votes twice on a query, by sorted keys, some queries at a time."""
    kind = key.dtype.type
    shift, mask = kind(widths.answer + widths.source), kind((1 << widths.source) - 1)
    for block in _whole_queries(key, int(shift)):
        part = key[block]
        pair = part >> shift
        room = (int(pair[-1] - pair[0]) + 1) << widths.source
        pair -= pair[0]
        pair <<= kind(widths.source)
        pair |= part & mask
        if _has_twins(pair, room):
            return True
    return False


def _has_twins(pairs: Keys, room: int) -> bool:
    """Whether any number below `room` occurs twice."""
    if room <= _PAIRS_PER_VOTE * pairs.size:
        seen = np.zeros(room, dtype=np.bool_)
        seen[pairs] = True
        return int(np.count_nonzero(seen)) != pairs.size
    small = pairs.astype(np.uint32) if room <= 1 << 32 else pairs
    small.sort()
    return bool((small[1:] == small[:-1]).any())


def _whole_queries(key: Keys, shift: int) -> Iterator[slice]:
    """Slices of sorted keys that end where a query ends, and stay in the cache unless one query does not."""
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
