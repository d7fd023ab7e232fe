"""Votes from records with ids of any kind, from Arrow tables, and from a binary COPY of Postgres."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np

from estimator.arrays.types import Integers
from estimator.errors import EstimatorError, installing
from estimator.votes import VoteMatrix

_SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0"
_HEADER: Final = 19
_TRAILER: Final = b"\xff\xff"
_BIGINT: Final = np.dtype([("size", ">i4"), ("value", ">i8")])


@dataclass(frozen=True, slots=True, eq=False)
class NamedVotes:
    """Votes with the ids behind their numbers: query j is `queries[j]`, source i `sources[i]`, answer a `answers[a]`.

    >>> named = from_records(["q"], ["site.example"], ["Oslo"])
    >>> named.queries, named.sources, named.answers
    (['q'], ['site.example'], ['Oslo'])
    """

    votes: VoteMatrix
    queries: Sequence[Hashable]
    sources: Sequence[Hashable]
    answers: Sequence[Hashable]


def from_records(
    query: Sequence[Hashable], source: Sequence[Hashable], answer: Sequence[Hashable | None]
) -> NamedVotes:
    """Votes from three parallel columns of ids, numbered in order of appearance; None as an answer is an abstention.

    The same answer id means the same in all queries. Raises EstimatorError for columns of different lengths and for two
    votes of one source on one query.

    >>> from_records(["q1", "q1", "q2"], ["a", "b", "a"], ["Oslo", "Bergen", None]).votes.vote_count
    2
    """
    if not len(query) == len(source) == len(answer):
        sizes = (len(query), len(source), len(answer))
        raise EstimatorError(f"query, source and answer must be of one length, not {sizes}")
    queries, query_ids = factorise(query)
    sources, source_ids = factorise(source)
    answers, answer_ids = factorise(answer)
    voted = answers != answer_ids.index(None) if None in answer_ids else np.ones(answers.size, dtype=np.bool_)
    return _named((queries[voted], sources[voted], answers[voted]), query_ids, source_ids, answer_ids)


def factorise(column: Sequence[Hashable | None]) -> tuple[Integers, list[Hashable | None]]:
    """Numbers (n,) from 0 in order of appearance, and the ids they stand for."""
    ids = list(dict.fromkeys(column))
    number_of = dict(zip(ids, range(len(ids)), strict=True))
    return np.fromiter(map(number_of.__getitem__, column), dtype=np.int64, count=len(column)), ids


def from_arrow(table: Any, *, query: str = "query", source: str = "source", answer: str = "answer") -> NamedVotes:  # noqa: ANN401 - anything that speaks the Arrow C stream protocol
    """Votes from the named columns of an Arrow table, or of anything with `__arrow_c_stream__` (polars, DuckDB, ADBC),
    without a Python object per vote. A null answer is an abstention. Raises EstimatorError where pyarrow is missing.

    >>> import pyarrow  # doctest: +SKIP
    >>> table = pyarrow.table({"query": [1, 1], "source": ["a", "b"], "answer": ["x", None]})  # doctest: +SKIP
    >>> from_arrow(table).votes.vote_count  # doctest: +SKIP
    1
    """
    try:
        arrow = import_module("pyarrow")
    except ImportError as missing:
        raise EstimatorError(f"reading Arrow tables needs pyarrow: {installing('parquet')}") from missing
    columns = arrow.table(table).select([query, source, answer]).drop_null().combine_chunks()
    queries, query_ids = _dictionary(columns.column(query))
    sources, source_ids = _dictionary(columns.column(source))
    answers, answer_ids = _dictionary(columns.column(answer))
    return _named((queries, sources, answers), query_ids, source_ids, answer_ids)


def from_binary_copy(data: bytes | bytearray | memoryview, columns: int = 3) -> tuple[Integers, ...]:
    r"""Columns (V,) of `COPY (SELECT query, source, answer ...) TO STDOUT (FORMAT binary)`, bigints without null, in
    38 bytes a row and no Python object per vote. Raises EstimatorError for anything else.

    >>> row = b"\x00\x01" + b"\x00\x00\x00\x08" + (7).to_bytes(8, "big")
    >>> from_binary_copy(b"PGCOPY\n\xff\r\n\0" + bytes(8) + row + b"\xff\xff", columns=1)
    (array([7]),)
    """
    view = memoryview(data)
    if bytes(view[: len(_SIGNATURE)]) != _SIGNATURE or bytes(view[-2:]) != _TRAILER:
        raise EstimatorError("not a whole binary COPY: join all its blocks, from the signature to the trailer")
    body = view[_HEADER : len(view) - len(_TRAILER)]
    row = np.dtype([("fields", ">i2"), ("column", _BIGINT, (columns,))])
    if len(body) % row.itemsize:
        raise EstimatorError(f"rows are not of {row.itemsize} bytes; select {columns} bigint columns without null")
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
