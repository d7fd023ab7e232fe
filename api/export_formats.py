"""The formats of exports."""

import csv
import io
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from pydantic_core import to_json, to_jsonable_python

from estimator.distributed.values import arrow
from registry.store.exports import ExportedRow

_GROUP_ROWS: Final = 100_000
# Spreadsheets compute a text that begins so, which somebody else wrote, unless an apostrophe stands before it.
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
_ARROW_TYPES: Final = {bool: "bool", int: "int64", float: "float64"}


class ExportFormat(StrEnum):
    """JSON Lines, or CSV with a header; lists and objects are JSON in a cell."""

    JSONL = "jsonl"
    CSV = "csv"

    @property
    def media_type(self) -> str:
        """The media type of a file."""
        return "text/csv; charset=utf-8" if self is ExportFormat.CSV else "application/x-ndjson"


async def encoded(batches: AsyncIterator[Sequence[ExportedRow]], file_format: ExportFormat) -> AsyncIterator[bytes]:
    """The rows as parts of a file."""
    has_header = False
    async for rows in batches:
        if file_format is ExportFormat.JSONL:
            yield b"".join(to_json(row) + b"\n" for row in rows)
            continue
        text = io.StringIO()
        writer = csv.writer(text)
        if not has_header:
            writer.writerow(rows[0])
            has_header = True
        writer.writerows([_cell(value) for value in row.values()] for row in rows)
        yield text.getvalue().encode()


async def write_parquet(batches: AsyncIterator[Sequence[ExportedRow]], columns: Mapping[str, type], path: Path) -> None:
    """Write the rows to a Parquet file; identifiers, lists and objects are texts, these as JSON. Raises EstimatorError
    where pyarrow is missing.
    """
    pyarrow, parquet = arrow(), arrow("pyarrow.parquet")
    schema = pyarrow.schema([(name, _arrow_type(pyarrow, kind)) for name, kind in columns.items()])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        waiting: list[ExportedRow] = []
        async for rows in batches:
            waiting += [{name: _arrow_value(value, columns[name]) for name, value in row.items()} for row in rows]
            if len(waiting) >= _GROUP_ROWS:
                writer.write_table(pyarrow.Table.from_pylist(waiting, schema))
                waiting = []
        writer.write_table(pyarrow.Table.from_pylist(waiting, schema))


def _arrow_type(pyarrow: Any, kind: type) -> Any:  # noqa: ANN401 - pyarrow ships no types
    return pyarrow.timestamp("us", "UTC") if kind is datetime else _ARROW_TYPES.get(kind, "string")


def _arrow_value(value: object, kind: type) -> object:
    if value is None or kind in {bool, int, float, datetime}:
        return value
    return to_json(value).decode() if kind is object else str(value)


def _cell(value: object) -> object:
    plain = to_jsonable_python(value)
    if isinstance(plain, str) and plain.startswith(_FORMULA_STARTS):
        return f"'{plain}"
    return to_json(plain).decode() if isinstance(plain, list | dict | bool) else plain
