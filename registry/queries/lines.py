"""Queries as plain lines and as CSV, made into lines of JSON that keep their numbers: blank ones stand for no query."""

import csv
import json
from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Protocol

from registry.platform.errors import InvalidInput
from registry.platform.ndjson import MAX_LINE_BYTES

# Between several gold answers in one cell.
SEPARATOR = "|"


class QueryFormat(StrEnum):
    """The format of queries: JSON objects, CSV with a header, or one question a line."""

    NDJSON = "ndjson"
    CSV = "csv"
    LINES = "lines"

    def converter(self) -> "Converter":
        """Makes lines of one file or body into JSON."""
        if self is QueryFormat.CSV:
            return CsvLines()
        return PlainLines() if self is QueryFormat.LINES else JsonLines()


class Converter(Protocol):
    """Is called with one line after the other, and then ended; both raise `InvalidInput`."""

    def __call__(self, line: bytes, /) -> bytes: ...

    def end(self) -> None: ...


class JsonLines:
    def __call__(self, line: bytes, /) -> bytes:
        return line

    def end(self) -> None:
        return


class PlainLines:
    """Each line that is not blank is the text of a query.

    >>> PlainLines()(b"Who built the mill?")
    b'{"text": "Who built the mill?"}'
    """

    def __call__(self, line: bytes, /) -> bytes:
        text = _decoded(line).strip()
        return json.dumps({"text": text}).encode() if text else b""

    def end(self) -> None:
        return


class CsvLines:
    """A header that names the fields, and a query a row. Several gold answers stand in one cell, with `|` between them.

    >>> lines = CsvLines()
    >>> lines(b"text,gold_answers")
    b''
    >>> lines(b'"Who built the mill?",Tora Myhre|T. Myhre')
    b'{"text": "Who built the mill?", "gold_answers": ["Tora Myhre", "T. Myhre"]}'
    """

    def __init__(self) -> None:
        self._header: list[str] = []
        self._open = bytearray()
        self._quoted = False

    def __call__(self, line: bytes, /) -> bytes:
        self._open += line.removesuffix(b"\n") + b"\n"
        # A row goes on in the next line while a quote is open; quotes within quotes are doubled.
        self._quoted ^= line.count(b'"') % 2 == 1
        if self._quoted and len(self._open) <= MAX_LINE_BYTES:
            return b""
        cells = self._cells()
        if not any(cells):
            return b""
        if self._header:
            return self._query(cells)
        self._header = [cell.strip() for cell in cells]
        if "text" not in self._header:
            raise InvalidInput(
                "The first line of a CSV file of queries names its columns, separated by commas: `text`, and if wanted "
                "`external_id`, `gold_answers` and `topic`. There is no column `text`."
            )
        return b""

    def end(self) -> None:
        if self._open:
            raise InvalidInput("The CSV ends within a quoted cell.")

    def _cells(self) -> list[str]:
        text = _decoded(bytes(self._open))
        self._open.clear()
        self._quoted = False
        try:
            return next(csv.reader([text], strict=True), [])
        except csv.Error as error:
            raise InvalidInput(f"This is not CSV: {error}.") from error

    def _query(self, cells: list[str]) -> bytes:
        if len(cells) > len(self._header):
            raise InvalidInput(f"A row of the CSV has {len(cells)} cells, but its header {len(self._header)} columns.")
        query: dict[str, object] = {name: cell for name, cell in zip(self._header, cells, strict=False) if cell.strip()}
        if isinstance(gold := query.get("gold_answers"), str):
            query["gold_answers"] = [answer.strip() for answer in gold.split(SEPARATOR) if answer.strip()]
        return json.dumps(query).encode()


async def converted(lines: AsyncIterator[bytes], convert: Converter) -> AsyncIterator[bytes]:
    async for line in lines:
        yield convert(line)
    convert.end()


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"This is not text in UTF-8: {line[:100]!r}.") from error
