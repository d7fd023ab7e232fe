"""Votes in order of query, answer and source: packed into one number each, sorted, and taken apart again."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Kind = TypeVar("Kind", bound=np.generic)

# What fits the second-level cache makes several passes for the price of one.
_BLOCK: Final = 1 << 16
_BITMAP: Final = 1 << 20
# A bitmap of all (query, source) pairs is cheaper than sorting up to so many pairs a vote.
_PAIRS_PER_VOTE: Final = 32


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """V votes of C classes: (V,) sources, and (C,) first votes, queries and answers of the classes."""

    source: NDArray[np.int32]
    start: Integers
    query: Integers
    answer: Integers

    def sizes(self) -> Integers:
        """(C,) votes of every class."""
        return np.diff(np.append(self.start, self.source.size))


def order(queries: NDArray[Any], answers: NDArray[Any], sources: NDArray[Any]) -> Ordered:
    """Sort the votes; integers of 0 or more of any type."""
    bits = [int(ids.max(initial=0)).bit_length() for ids in (queries, answers, sources)]
    if sum(bits) > 64:
        return order_by_columns(queries, answers, sources)
    key = _packed((queries, answers, sources), bits, np.uint32 if sum(bits) <= 32 else np.uint64)
    key.sort()
    return _unpacked(key, bits)


def order_by_columns(queries: NDArray[Any], answers: NDArray[Any], sources: NDArray[Any]) -> Ordered:
    """The same for ids too large to be packed."""
    places = np.lexsort((sources, answers, queries))
    queries, answers = queries[places].astype(np.int64), answers[places].astype(np.int64)
    start = np.flatnonzero(starts(queries) | starts(answers))
    return Ordered(sources[places].astype(np.int32), start, queries[start], answers[start])


def first_repeat(votes: Ordered, source_count: int) -> tuple[int, int, int] | None:
    """Query and source of the first source that votes more than once on a query, and how many votes are too many."""
    pairs = (int(votes.query.max(initial=-1)) + 1) * source_count
    if pairs <= _PAIRS_PER_VOTE * votes.source.size and not _any_repeat(votes, source_count):
        return None
    pair = np.repeat(votes.query, votes.sizes())
    pair *= source_count
    pair += votes.source
    pair.sort()
    twice = np.flatnonzero(pair[1:] == pair[:-1])
    if not twice.size:
        return None
    query, source = divmod(int(pair[twice[0]]), source_count)
    return query, source, twice.size


def starts(values: NDArray[Kind]) -> NDArray[np.bool_]:
    """Whether an element differs from the one before it; the first one always does."""
    different = np.ones(values.size, dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=different[1:])
    return different


def blocks(size: int) -> Iterator[slice]:
    """Slices that cover `size` elements and stay in the cache."""
    return (slice(begin, min(begin + _BLOCK, size)) for begin in range(0, size, _BLOCK))


def _packed(columns: tuple[NDArray[Any], ...], bits: list[int], kind: type[np.uint32 | np.uint64]) -> NDArray[Any]:
    key = np.empty(columns[0].size, dtype=kind)
    for block in blocks(key.size):
        part: Any = columns[0][block].astype(kind)
        for column, width in zip(columns[1:], bits[1:], strict=True):
            part = (part << kind(width)) | column[block].astype(kind)
        key[block] = part
    return key


def _unpacked(key: NDArray[Any], bits: list[int]) -> Ordered:
    kind = key.dtype.type
    _, answer_bits, source_bits = bits
    source, first = np.empty(key.size, dtype=np.int32), np.ones(key.size, dtype=np.bool_)
    for block in blocks(key.size):
        part = key[block]
        source[block] = part & kind((1 << source_bits) - 1)
        part >>= kind(source_bits)
        np.not_equal(part[1:], part[:-1], out=first[block][1:])
        if block.start:
            first[block.start] = part[0] != key[block.start - 1]
    start = np.flatnonzero(first)
    classes = key[start].astype(np.uint64)
    answer = classes & np.uint64((1 << answer_bits) - 1)
    query = classes >> np.uint64(answer_bits) if answer_bits < 64 else np.zeros_like(classes)
    return Ordered(source, start, query.astype(np.int64), answer.astype(np.int64))


def _any_repeat(votes: Ordered, source_count: int) -> bool:
    """Whether a source votes twice on a query, by ticking pairs off, some queries at a time."""
    rows = max(_BITMAP // max(source_count, 1), 1)
    count = int(votes.query.max(initial=-1)) + 1
    edges = np.arange(0, count + rows, rows)
    classes = np.searchsorted(votes.query, edges)
    sizes, ends = votes.sizes(), np.append(votes.start, votes.source.size)
    for begin, low, high in zip(edges[:-1].tolist(), classes[:-1], classes[1:], strict=True):
        offset = np.repeat((votes.query[low:high] - begin) * source_count, sizes[low:high])
        offset += votes.source[ends[low] : ends[high]]
        seen = np.zeros(rows * source_count, dtype=np.bool_)
        seen[offset] = True
        if np.count_nonzero(seen) != offset.size:
            return True
    return False
