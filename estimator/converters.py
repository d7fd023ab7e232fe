"""Votes as they come: records with ids of any kind, Arrow tables, rows of a binary COPY of Postgres."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from estimator.errors import EstimatorError
from estimator.votes import VoteMatrix

Integers = NDArray[np.int64]

_SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0"
_HEADER: Final = 19
_TRAILER: Final = b"\xff\xff"
_BIGINT: Final = np.dtype([("size", ">i4"), ("value", ">i8")])


@dataclass(frozen=True, slots=True, eq=False)
class NamedVotes:
    """Votes, and what their numbers stand for: `queries[j]`, `sources[i]` and `answers[a]`."""

    votes: VoteMatrix
    queries: Sequence[Hashable]
    sources: Sequence[Hashable]
    answers: Sequence[Hashable]


def from_records(
    query: Sequence[Hashable], source: Sequence[Hashable], answer: Sequence[Hashable | None]
) -> NamedVotes:
    """Votes from three parallel columns of ids, numbered in order of appearance; None as an answer is an abstention.

    The same answer id means the same in all queries. Raises EstimatorError as `VoteMatrix.from_triples` does.
    """
    if not len(query) == len(source) == len(answer):
        sizes = (len(query), len(source), len(answer))
        message = f"query, source and answer must be of one length, not {sizes}"
        raise EstimatorError(message)
    queries, query_ids = factorise(query)
    sources, source_ids = factorise(source)
    answers, answer_ids = factorise(answer)
    voted = answers != answer_ids.index(None) if None in answer_ids else np.ones(answers.size, dtype=np.bool_)
    return _named((queries[voted], sources[voted], answers[voted]), query_ids, source_ids, answer_ids)


def factorise(column: Sequence[Hashable | None]) -> tuple[Integers, list[Hashable | None]]:
    """Numbers from 0 in order of appearance, and the ids they stand for."""
    ids = list(dict.fromkeys(column))
    number = dict(zip(ids, range(len(ids)), strict=True))
    return np.fromiter(map(number.__getitem__, column), dtype=np.int64, count=len(column)), ids


def from_arrow(table: Any, *, query: str = "query", source: str = "source", answer: str = "answer") -> NamedVotes:  # noqa: ANN401 - anything that speaks the Arrow C stream protocol
    """Votes from the named columns of an Arrow table, or of anything with `__arrow_c_stream__` (polars, DuckDB,
    ADBC and so on), without a Python object per vote. Needs pyarrow. A null answer is an abstention.
    """
    try:
        arrow = import_module("pyarrow")
    except ImportError as missing:
        message = "reading Arrow tables needs pyarrow: pip install pyarrow"
        raise EstimatorError(message) from missing
    columns = arrow.table(table).select([query, source, answer]).drop_null().combine_chunks()
    numbered = [_dictionary(columns.column(name)) for name in (query, source, answer)]
    codes = tuple(one[0] for one in numbered)
    return _named((codes[0], codes[1], codes[2]), *(one[1] for one in numbered))


def from_binary_copy(data: bytes | bytearray | memoryview, columns: int = 3) -> tuple[Integers, ...]:
    """The columns (V,) of `COPY (SELECT query, source, answer ...) TO STDOUT (FORMAT binary)`, bigints without null, in
    38 bytes a vote and no Python object for any. Raises EstimatorError for anything else.
    """
    view = memoryview(data)
    if bytes(view[: len(_SIGNATURE)]) != _SIGNATURE or bytes(view[-2:]) != _TRAILER:
        message = "not a whole binary COPY: join all its blocks, from the signature to the trailer"
        raise EstimatorError(message)
    body = view[_HEADER : len(view) - len(_TRAILER)]
    row = np.dtype([("fields", ">i2"), ("column", _BIGINT, (columns,))])
    if len(body) % row.itemsize:
        message = f"rows are not of {row.itemsize} bytes; select {columns} bigint columns without null"
        raise EstimatorError(message)
    rows = np.frombuffer(body, dtype=row)
    if (rows["fields"] != columns).any() or (rows["column"]["size"] != _BIGINT["value"].itemsize).any():
        message = f"rows are not {columns} bigint columns without null; cast them, and leave abstentions out"
        raise EstimatorError(message)
    values = rows["column"]["value"]
    return tuple(values[:, column].astype(np.int64) for column in range(columns))


def _named(
    columns: tuple[Integers, Integers, Integers],
    queries: list[Any],
    sources: list[Any],
    answers: list[Any],
) -> NamedVotes:
    votes = VoteMatrix.from_triples(*columns, query_count=len(queries), source_count=len(sources))
    return NamedVotes(votes, queries, sources, answers)


def _dictionary(column: Any) -> tuple[Integers, list[Any]]:  # noqa: ANN401 - pyarrow ships no types
    chunks = column.combine_chunks().dictionary_encode()
    whole = chunks.combine_chunks() if hasattr(chunks, "combine_chunks") else chunks
    return whole.indices.to_numpy(zero_copy_only=False), whole.dictionary.to_pylist()
