"""Files as one stream of NDJSON lines, in which the number of a line leads back to its file."""

import csv
import gzip
import json
import os
import sys
import zlib
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from pydantic_core import to_json

from registry.connectors.files import OFFICE, PDF, TEXTS, read_file
from registry.connectors.kinds.table import parquet_rows, plain
from registry.documents.schemas import MediaType
from registry.documents.value_schemas import require_columns
from registry.platform.errors import FetchFailed, InvalidInput
from registry.platform.ndjson import MAX_LINE_BYTES
from registry.queries.lines import Converter

STDIN = "-"
GZIP_MAGIC = b"\x1f\x8b"
# One that is too long is refused with its row, not with the rest of the file.
csv.field_size_limit(MAX_LINE_BYTES)
# Of a file that is one document: an Office file has pictures beside its text.
MAX_FILE_BYTES = 100_000_000


class FileFormat(StrEnum):
    """The format of a file."""

    NDJSON = "ndjson"
    CSV = "csv"
    PARQUET = "parquet"
    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    XLSX = "xlsx"


FormatOption = Annotated[
    FileFormat | None, typer.Option("--format", help="Format of the files, if their names do not show it.")
]
_TEXTS = {MediaType.TEXT: FileFormat.TEXT, MediaType.MARKDOWN: FileFormat.MARKDOWN, MediaType.HTML: FileFormat.HTML}
FORMATS = {
    ".ndjson": FileFormat.NDJSON,
    ".jsonl": FileFormat.NDJSON,
    ".csv": FileFormat.CSV,
    ".parquet": FileFormat.PARQUET,
    **{suffix: _TEXTS[media_type] for suffix, media_type in TEXTS.items()},
    **{suffix: FileFormat(suffix[1:]) for suffix in (PDF, *OFFICE)},
}
"""Formats by the suffixes of file names."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The mapping of columns of CSV and Parquet files to fields."""

    numbers: Collection[str] = ()
    """Columns of CSV files whose cells are numbers; all others are text."""
    needed: Mapping[str, str] = field(default_factory=dict)
    """Required columns by their meaning."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """Columns that are kept, with the fields that they become; none: all, unchanged."""


ALL_COLUMNS = Columns()


@dataclass(slots=True)
class FileLines:
    """The lines of all files, one after the other. `advance` is called with the bytes read since its last call."""

    names: Sequence[str]
    forced: FileFormat | None
    columns: Columns = ALL_COLUMNS
    converter: Callable[[str], Converter] | None = None
    """The function that converts the lines of a file to JSON, by its name; None: `forced` or the name says what it
    holds."""
    advance: Callable[[int], None] = lambda _: None
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Files that could not be read, or not on, and why."""
    _starts: list[int] = field(default_factory=list)
    _lines: int = 0

    def read(self) -> Iterator[bytes]:
        """Every line; a file that cannot be read on is noted in `problems`, and the next one begins."""
        for name in self.names:
            self._starts.append(self._lines)
            try:
                for line in self._lines_of(name):
                    self._lines += 1
                    yield line if line.endswith(b"\n") else line + b"\n"
            except (OSError, EOFError, UnicodeDecodeError, zlib.error, csv.Error, InvalidInput, FetchFailed) as error:
                self.problems.append((name, _reason(error)))

    def origin(self, line: int) -> tuple[str, int]:
        """The file that line number `line` of the stream (from 1) stands in, and its number there."""
        index = bisect_right(self._starts, line - 1) - 1
        return self.names[index], line - self._starts[index]

    def _lines_of(self, name: str) -> Iterator[bytes]:
        if self.converter is not None:
            convert = self.converter(name)
            yield from map(convert, self._ndjson(name))
            convert.end()
            return
        file_format = format_of(name, self.forced)
        if file_format is FileFormat.NDJSON:
            yield from self._ndjson(name)
        elif file_format is FileFormat.CSV:
            yield from self._csv(name)
        elif file_format is FileFormat.PARQUET:
            yield from self._parquet(name)
        else:
            yield self._document(name)

    def _ndjson(self, name: str) -> Iterator[bytes]:
        with _opened(name) as raw:
            stream = gzip.GzipFile(fileobj=raw) if raw.peek(2)[:2] == GZIP_MAGIC else raw
            position = 0
            for line in stream:
                yield line
                if raw.seekable() and (now := raw.tell()) > position:
                    self.advance(now - position)
                    position = now

    def _csv(self, name: str) -> Iterator[bytes]:
        """Every row as a JSON object of its cells that are not empty, with the number that its last line has.

        Blank lines stand for the header, for lines without cells, and for the line breaks within cells.
        """
        rows = csv.DictReader((line.decode("utf-8-sig") for line in self._ndjson(name)), restkey="", strict=True)
        try:
            require_columns(rows.fieldnames or (), self.columns.needed)
        except ValueError as error:
            raise InvalidInput(str(error)) from error
        line = 0
        for row in rows:
            yield from [b"\n"] * (rows.line_num - line - 1)
            line = rows.line_num
            cells = self._kept({column: cell for column, cell in row.items() if cell})
            numbers = {column: _number(cells[column]) for column in self.columns.numbers if column in cells}
            yield json.dumps(cells | numbers).encode() + b"\n"

    def _parquet(self, name: str) -> Iterator[bytes]:
        """Every row as a JSON object of its cells."""
        if name == STDIN:
            raise InvalidInput("a Parquet file cannot be read from standard input: name it")
        try:
            with Path(name).open("rb") as file:
                for row in parquet_rows(file, name, self.columns.needed):
                    cells = self._kept({column: plain(cell) for column, cell in row.items() if cell is not None})
                    yield to_json(cells, inf_nan_mode="null") + b"\n"
        except FetchFailed as error:
            raise InvalidInput(str(error)) from error

    def _kept(self, row: dict[str, Any]) -> dict[str, Any]:
        kept = self.columns.kept
        return {kept[column]: cell for column, cell in row.items() if column in kept} if kept else row

    def _document(self, name: str) -> bytes:
        file_format = format_of(name, self.forced)
        with _opened(name) as raw:
            content = raw.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise InvalidInput(f"larger than {MAX_FILE_BYTES:,} bytes")
        self.advance(len(content))
        suffix = next(suffix for suffix, known in FORMATS.items() if known is file_format)
        text, media_type = read_file(f"file{suffix}", content)
        if not text.strip():
            raise InvalidInput("there is no text in it; pages that are pictures need text recognition first")
        title = {} if file_format is FileFormat.HTML else {"title": Path(name).stem}
        return json.dumps({"external_id": name, "media_type": media_type, "content": text, **title}).encode()


def format_of(name: str, forced: FileFormat | None) -> FileFormat:
    """The format of the file: `forced`, else by its suffix. Raises `InvalidInput` where that is unknown."""
    if forced is not None:
        return forced
    suffixes = [suffix.lower() for suffix in Path(name).suffixes if suffix.lower() != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    if name == STDIN:
        return FileFormat.NDJSON
    if suffix in FORMATS:
        return FORMATS[suffix]
    raise InvalidInput(f"{name}: what is it? Its name ends in none of {', '.join(FORMATS)}; use --format.")


def _number(cell: str) -> float | str:
    """The number in a cell; text that is none stays, and is refused with its line."""
    try:
        return float(cell)
    except ValueError:
        return cell


def check_files(names: Sequence[str], forced: FileFormat | None) -> int:
    """The bytes of all files, 0 if standard input is among them; raises `InvalidInput` if one cannot be read."""
    total = 0
    for name in names:
        format_of(name, forced)
        if name == STDIN:
            return 0
        try:
            with Path(name).open("rb") as file:
                total += os.fstat(file.fileno()).st_size
        except (OSError, ValueError) as error:
            raise InvalidInput(f"{name} cannot be read: {_reason(error)}") from error
    return total


@contextmanager
def _opened(name: str) -> "Iterator[BufferedReader[Any]]":
    if name == STDIN:
        stdin = BufferedReader(cast("RawIOBase", sys.stdin.buffer))
        try:
            yield stdin
        finally:
            stdin.detach()
        return
    with Path(name).open("rb") as file:
        yield file


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 (byte {error.start})"
    if isinstance(error, EOFError | zlib.error):
        return "the compressed data are cut off or damaged; the lines before were taken"
    return str(error)
