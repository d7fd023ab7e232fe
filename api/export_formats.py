"""The formats of exports."""

import csv
import io
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from tempfile import TemporaryFile
from typing import IO, Any, Final

from pydantic_core import to_json

from api.text import csv_cell
from estimator.distributed.values import arrow
from estimator.errors import EstimatorError
from registry.corpora.store.exports import ExportedRow
from registry.platform.errors import SettingsError

_CHUNK_BYTES: Final = 1 << 18
_GROUP_ROWS: Final = 100_000
_ARROW_TYPES: Final = {bool: "bool", int: "int64", float: "float64"}


class ExportFormat(StrEnum):
    """JSON Lines, CSV with a header, or Parquet; lists and objects are JSON in a cell of the last two."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"

    @property
    def media_type(self) -> str:
        """The media type of a file."""
        return _MEDIA_TYPES[self]


_MEDIA_TYPES: Final = {
    ExportFormat.JSONL: "application/x-ndjson",
    ExportFormat.CSV: "text/csv; charset=utf-8",
    ExportFormat.PARQUET: "application/vnd.apache.parquet",
}


async def encoded(
    batches: AsyncIterator[Sequence[ExportedRow]], columns: Mapping[str, type], file_format: ExportFormat
) -> AsyncIterator[bytes]:
    """The rows as parts of a file. `columns` are the types of their values."""
    if file_format is ExportFormat.PARQUET:
        with TemporaryFile() as file:
            await _write_parquet(batches, columns, file)
            file.seek(0)
            while chunk := file.read(_CHUNK_BYTES):
                yield chunk
        return
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
        writer.writerows([csv_cell(value) for value in row.values()] for row in rows)
        yield text.getvalue().encode()


def require_parquet() -> None:
    """Raise `SettingsError` where pyarrow is missing."""
    try:
        arrow("pyarrow.parquet")
    except EstimatorError as error:
        raise SettingsError(str(error)) from error


async def _write_parquet(
    batches: AsyncIterator[Sequence[ExportedRow]], columns: Mapping[str, type], file: IO[bytes]
) -> None:
    """Write the rows as Parquet; identifiers, lists and objects are texts, these as JSON."""
    pyarrow, parquet = arrow(), arrow("pyarrow.parquet")
    schema = pyarrow.schema([(name, _arrow_type(pyarrow, kind)) for name, kind in columns.items()])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
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
