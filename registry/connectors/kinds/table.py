"""Rows of a table, each a document with its source: JSON Lines, CSV or Parquet."""

import asyncio
import csv
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path, PurePath
from typing import IO, Annotated, Any, BinaryIO, TypeAlias

from pydantic import Field

from estimator.errors import installing
from registry.connectors.connector import ConnectorKind, Content, DocumentOrProblem, Listing, Location, Seen, Tools
from registry.connectors.connector import document as document_of
from registry.connectors.local_files import LocalFiles
from registry.connectors.reading import BATCH_BYTES
from registry.connectors.result_schemas import ConnectorProblem
from registry.documents.schemas import DocumentLine
from registry.documents.value_schemas import NO_COLUMNS, SOURCE, StatedColumns, fields_of_row, require_columns
from registry.platform.errors import FetchFailed
from registry.platform.fields import ExternalId, Input, NotBlank, Storable
from registry.platform.ndjson import MAX_LINE_BYTES

Row = dict[str, Any]
Bytes: TypeAlias = BinaryIO | gzip.GzipFile
# Of Parquet.
BATCH_ROWS = 256
# Rows are bounded by themselves.
csv.field_size_limit(MAX_LINE_BYTES)


class RowConfig(Input):
    """The mapping of rows to documents."""

    source: ExternalId | None = None
    """The source of all rows; without one, each row has its own in the column `source`."""
    columns: dict[str, str] = Field(default_factory=dict)
    """Names of the columns of fields that are called otherwise, such as `{"source": "site", "content": "text"}`."""
    stated_values: StatedColumns = Field(default_factory=dict)
    """Columns of values that are votes without a reader: that of the subject, and of each relation, such as
    `{"subject": "country", "capital": "capital"}`; or `{"subject": ..., "relation": ..., "value": ...}`."""
    sync: bool = Field(default=False, title="Delete with their rows")
    """Whether documents whose rows are gone are deleted."""


class TableConfig(RowConfig):
    """Rows of a file."""

    path: Annotated[str, Field(max_length=2_000), Storable, NotBlank]
    """The file, on the machine of the worker: `.jsonl`, `.ndjson`, `.csv`, each also `.gz`, or `.parquet`."""


class TableConnector:
    """The only location is the file, with its size and time as version."""

    def __init__(self, config: TableConfig, tools: Tools) -> None:
        self._config = config
        self._files = LocalFiles(Path(config.path), tools.settings)
        self._max_bytes = tools.settings.connector_max_bytes

    async def locations(self) -> Listing:
        """The file."""
        try:
            version = await asyncio.to_thread(self._files.version)
        except OSError as error:
            raise FetchFailed(f"{self._config.path} cannot be read: {error.strerror}.") from error
        return Listing([Location(self._config.path, version)])

    async def read(self, _location: Location, _seen: Seen, /) -> Content:
        """A document for each row."""
        return Content(self._documents)

    def _documents(self) -> Iterator[DocumentOrProblem]:
        place = Path(self._config.path).name
        try:
            with self._files.open() as file:
                for number, row in enumerate(_rows(file, place, self._config.stated_values, self._max_bytes), 1):
                    yield row_document(f"{place}:{number}", row, self._config)
        except (OSError, EOFError, ValueError, csv.Error, zlib.error) as error:
            raise FetchFailed(f"{place} cannot be read on: {error}") from error


def row_document(place: str, row: Row | str, config: RowConfig) -> DocumentOrProblem:
    """The document of a row, or why it is none."""
    if isinstance(row, str):
        return ConnectorProblem(place, row)
    try:
        stated = fields_of_row(row, config.stated_values) if config.stated_values else {}
    except ValueError as error:
        return ConnectorProblem(place, str(error))
    columns = {name: column for name, column in config.stated_values.items() if name == SOURCE} | config.columns
    fields = {name: row.pop(columns.get(name, name), None) for name in DocumentLine.model_fields}
    if config.source is not None:
        fields["source"] = config.source
    attributes = fields["attributes"] if isinstance(fields["attributes"], dict) else {}
    others = {name: value for name, value in row.items() if name not in config.stated_values.values()}
    fields["attributes"] = {name: plain(value) for name, value in others.items()} | attributes
    fields |= {name: value for name, value in stated.items() if fields[name] is None or fields[name] == ""}
    fields["external_id"] = fields["external_id"] or fields["url"] or _hash(fields["content"])
    return document_of(place, **{name: plain(value) for name, value in fields.items()})


def _rows(file: BinaryIO, name: str, needed: Mapping[str, str], max_bytes: int) -> Iterator[Row | str]:
    """The rows by column, or why one cannot be read; raises ValueError where the table has not the needed columns, and
    where a row of CSV is longer than `max_bytes`, as nothing says where the next one begins.
    """
    suffixes = [suffix.lower() for suffix in PurePath(name).suffixes]
    zipped = suffixes[-1:] == [".gz"]
    kind = suffixes[-2 if zipped else -1] if len(suffixes) > zipped else ""
    if kind == ".parquet":
        yield from parquet_rows(file, name, needed)
        return
    with gzip.open(file) if zipped else file as content:
        if kind == ".csv":
            lines = _Lines(content, max_bytes)
            rows = csv.DictReader(lines, restkey="", strict=True)
            require_columns(rows.fieldnames or (), needed)
            for row in rows:
                lines.held = 0
                yield {name: cell for name, cell in row.items() if cell}
        elif kind in {".jsonl", ".ndjson"}:
            yield from _json_rows(content, max_bytes)
        else:
            raise FetchFailed(f"{name} is not *.jsonl, *.ndjson, *.csv, one of these with .gz, or *.parquet.")


class _Lines:
    """The lines of a file, as long as those since `held` was 0 have no more than `max_bytes` characters."""

    def __init__(self, content: Bytes, max_bytes: int) -> None:
        self._text = io.TextIOWrapper(content, encoding="utf-8-sig", newline="")
        self._max_bytes = max_bytes
        self.held = 0

    def __iter__(self) -> Iterator[str]:
        while line := self._text.readline(self._max_bytes + 1 - self.held):
            self.held += len(line)
            if self.held > self._max_bytes:
                raise ValueError(_too_long(self._max_bytes))
            yield line


def _json_rows(content: Bytes, max_bytes: int) -> Iterator[Row | str]:
    while line := content.readline(max_bytes + 1):
        if len(line) > max_bytes:
            while line and not line.endswith(b"\n"):
                line = content.readline(max_bytes)
            yield f"It is not read: {_too_long(max_bytes)}"
            continue
        if not line.strip():
            continue
        try:
            row = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            yield f"The line is not JSON: {error}"
            continue
        yield row if isinstance(row, dict) else "The line is not a JSON object."


def _too_long(max_bytes: int) -> str:
    return f"the row is longer than {max_bytes:,} bytes (CREDENCE_CONNECTOR_MAX_BYTES)."


def parquet_rows(file: IO[bytes], name: str, needed: Mapping[str, str] = NO_COLUMNS) -> Iterator[Row]:
    """The rows of a Parquet file by column; raises `FetchFailed` where it cannot be read or a column is missing."""
    try:
        from pyarrow import ArrowException  # noqa: PLC0415  (in an extra)
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415
    except ImportError as error:
        raise FetchFailed(f"Parquet files need pyarrow: {installing('parquet')}") from error
    try:
        with ParquetFile(file) as table:
            names, metadata = table.schema_arrow.names, table.metadata
            require_columns(names, needed)
        size = sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
        at_once = BATCH_BYTES * metadata.num_rows // max(size, 1)
        # A text that many rows share is a few bytes in the file and as a dictionary; as rows it is made one by one.
        with ParquetFile(file, read_dictionary=names) as table:
            for batch in table.iter_batches(batch_size=min(max(at_once, 1), BATCH_ROWS)):
                for number in range(batch.num_rows):
                    yield from batch.slice(number, 1).to_pylist()
    except (ArrowException, ValueError) as error:
        raise FetchFailed(f"{name} cannot be read: {error}") from error


def plain(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, datetime):
        return value.isoformat() + ("" if value.tzinfo else "Z")
    return value.isoformat() if isinstance(value, date) else value


def _hash(content: object) -> str:
    return hashlib.sha256(str(content).encode(errors="replace")).hexdigest()


KIND = ConnectorKind(
    name="table",
    summary="rows of a JSON Lines, CSV or Parquet file, each with its source",
    config=TableConfig,
    main_field="path",
    make=TableConnector,
    deletes=lambda config: config.sync,
    paths=lambda config: [Path(config.path)],
)
