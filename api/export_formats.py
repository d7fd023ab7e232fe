"""The formats of exports."""

import csv
import io
from collections.abc import AsyncIterator, Sequence
from enum import StrEnum

from pydantic_core import to_json, to_jsonable_python

from registry.store.exports import ExportedRow


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


def _cell(value: object) -> object:
    plain = to_jsonable_python(value)
    return to_json(plain).decode() if isinstance(plain, list | dict | bool) else plain
