"""Votes in Parquet files, partitioned by query: all votes on a query are in one file.

| column | type | what it holds |
|---|---|---|
| `query` | integer or text | identifier of the query |
| `source` | integer or text | identifier of the source, the same in all files |
| `answer` | integer or text, or null | answer class: equal answers to a query agree; null is an abstention |

The columns may also be called `query_id`, `source_id` and `answer_key`, as in what `credence export votes --format
parquet` writes. Further columns are not read. A source votes at most once on a query. Rows may be in any order; files
of 1 to 10 million votes that are sorted by query are small and quick to read.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from estimator.arrays.sorting import starts
from estimator.arrays.types import Flags, Floats, Integers
from estimator.distributed.values import Column, Kind, Values, arrow, as_arrow, kind_of, listed, numbered
from estimator.errors import EstimatorError
from estimator.votes import VoteMatrix

Table: TypeAlias = Any
"""An Arrow table; pyarrow ships no types."""
COLUMNS: Final = ("query", "source", "answer")
_EXPORTED: Final = ("query_id", "source_id", "answer_key")


@dataclass(frozen=True, slots=True, eq=False)
class FileVotes:
    """The votes of one file, with queries, sources and answers numbered in the order of their identifiers."""

    votes: VoteMatrix
    sources: Values
    """(N,)"""
    queries: Column
    answers: Column


def row_counts(paths: Sequence[str]) -> list[int]:
    """The number of rows of every file, by what is written about its columns. Raises EstimatorError for a file that
    holds no votes, and where identifiers are integers in some files and texts in others.
    """
    rows, first = [], dict[str, tuple[Kind, str]]()
    for path in paths:
        with _opened(path) as file:
            for column, name in zip(COLUMNS, _names(file.schema_arrow), strict=True):
                kind = kind_of(file.schema_arrow.field(name).type, name)
                if kind is Kind.NULLS:
                    continue
                other, where = first.setdefault(column, (kind, path))
                if kind is not other:
                    message = f"the column {name} holds {kind}, but {other} in {where}; write it alike in all files"
                    raise EstimatorError(message)
            rows.append(int(file.metadata.num_rows))
    return rows


def read_votes(path: str) -> FileVotes:
    """The votes of a file, a path or a URI that Arrow knows. Raises EstimatorError for a file that holds none."""
    with _opened(path) as file:
        names = _names(file.schema_arrow)
    with _opened(path, names) as file:
        table = file.read(columns=list(names), use_threads=False)
        if any(table.column(name).null_count for name in names):
            table = table.drop_null()
        queries, sources, answers = (numbered(table.column(name), name) for name in names)
        del table
        sources = sources.without_gaps()
        numbers = queries.number, sources.number, answers.number
        try:
            votes = VoteMatrix.from_triples(*numbers, query_count=queries.count, source_count=sources.count)
        except EstimatorError as error:
            raise EstimatorError(_repeated(queries, sources)) from error
        return FileVotes(votes, sources.values(np.arange(sources.count)), queries, answers)


def write_votes(path: str, batches: Iterable[tuple[Any, Any, Any]]) -> int:
    """Write a file of votes from batches of three parallel columns of identifiers: queries, sources and answers.

    Returns the number of votes. Small where rows are sorted by query.
    """
    pyarrow, parquet, writer, count = arrow(), arrow("pyarrow.parquet"), None, 0
    try:
        for batch in batches:
            table = pyarrow.table(dict(zip(COLUMNS, map(pyarrow.array, batch), strict=True)))
            if writer is None:
                integers = pyarrow.types.is_integer(table.schema.field("query").type)
                encoding = {"query": "DELTA_BINARY_PACKED"} if integers else None
                writer = parquet.ParquetWriter(
                    path,
                    table.schema,
                    compression="zstd",
                    use_dictionary=["source", "answer"] if integers else True,
                    column_encoding=encoding,
                )
            writer.write_table(table.cast(writer.schema))
            count += table.num_rows
    finally:
        if writer is not None:
            writer.close()
    return count


def answer_table(file: FileVotes, winner: Integers, *, confidence: Floats, lead: Floats, tied: Flags) -> Table:
    """The answers to the K queries of a file that have votes, in the order of these: `query` and `answer`, given the
    winning class (K,) or -1, and `confidence`, `lead` and `tied`, as in `Estimate`. What is missing is null.
    """
    pyarrow, votes, known = arrow(), file.votes, winner >= 0
    queries = file.queries.values(votes.class_query[starts(votes.class_query)].astype(np.int64))
    answers = as_arrow(file.answers.values(votes.class_answer[np.where(known, winner, 0)]))
    columns = {
        "query": as_arrow(queries),
        "answer": arrow("pyarrow.compute").if_else(pyarrow.array(known), answers, pyarrow.scalar(None, answers.type)),
        "confidence": pyarrow.array(confidence, from_pandas=True),
        "lead": pyarrow.array(lead),
        "tied": pyarrow.array(tied),
    }
    return pyarrow.table(columns)


def write_answers(path: str, tables: Iterable[Table]) -> None:
    """Write tables of answers to a Parquet file, which appears once all are written. Raises EstimatorError."""
    parquet, writer, table, unfinished = arrow("pyarrow.parquet"), None, None, Path(f"{path}.part")
    try:
        for table in tables:
            if table.num_rows:  # else its types may be those of no identifiers
                writer = writer or parquet.ParquetWriter(unfinished, table.schema, compression="zstd")
                writer.write_table(table)
        if writer is None:
            parquet.write_table(table, unfinished)
        else:
            writer.close()
        unfinished.replace(path)
    except OSError as error:
        raise EstimatorError(f"{path} cannot be written: {error}") from error
    finally:
        if writer is not None:
            writer.close()
        unfinished.unlink(missing_ok=True)


def _names(schema: Any) -> tuple[str, ...]:  # noqa: ANN401 - pyarrow ships no types
    """The names of the columns of query, source and answer."""
    for names in (COLUMNS, _EXPORTED):
        if set(names) <= set(schema.names):
            return names
    message = (
        f"votes have the columns {', '.join(COLUMNS)}, or {', '.join(_EXPORTED)}; this has {', '.join(schema.names)}"
    )
    raise EstimatorError(message)


def _repeated(queries: Column, sources: Column) -> str:
    """The source that votes more than once on a query, in words."""
    order = np.lexsort((sources.number, queries.number))
    query, source = queries.number[order], sources.number[order]
    twice = np.flatnonzero((query[1:] == query[:-1]) & (source[1:] == source[:-1]))
    first = order[twice[:1]]
    name, of = (listed(column.values(column.number[first].astype(np.int64)))[0] for column in (sources, queries))
    surplus = f"{twice.size:,} too many in all"
    return f"source {name} votes more than once on query {of}; keep one vote of a source on a query ({surplus})"


@contextmanager
def _opened(path: str, texts: tuple[str, ...] = ()) -> Iterator[Any]:
    """A Parquet file; what is wrong with it is reported with its name. A text in the columns `texts` is kept once."""
    parquet = arrow("pyarrow.parquet")
    try:
        if "://" in path:
            store, name = arrow("pyarrow.fs").FileSystem.from_uri(path)
            with (
                store.open_input_file(name) as stream,
                parquet.ParquetFile(stream, read_dictionary=texts) as file,
            ):
                yield file
        else:
            with parquet.ParquetFile(path, read_dictionary=texts) as file:
                yield file
    except EstimatorError as error:
        raise EstimatorError(f"{path}: {error}") from error
    except (OSError, arrow().ArrowException) as error:
        raise EstimatorError(f"{path} cannot be read as a Parquet file: {error}") from error
