"""A file from a form as lines of an import, and what became of them."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Self

from starlette.datastructures import UploadFile

from api.http.streaming.request_lines import PIECE_BYTES, LineSplitter
from registry.connectors.files import TEXTS
from registry.connectors.markup import text_of
from registry.documents.schemas import LineResult, LineStatus
from registry.platform.errors import FetchFailed, ImportTooLarge, InvalidInput
from registry.platform.ndjson import MAX_LINE_BYTES

LINES = (".ndjson", ".jsonl")
ACCEPTED = (*LINES, *TEXTS)
REJECTIONS_SHOWN = 100


async def lines_of(file: UploadFile, source: str) -> AsyncIterator[bytes]:
    """The lines of an NDJSON file, or one line with the text of a file that a source published.

    Raises `InvalidInput` for a file that is neither, and for a text without a source.
    """
    name = PurePath(file.filename or "").name
    suffix = PurePath(name).suffix.lower()
    if suffix not in ACCEPTED:
        raise InvalidInput(f"The name of the file must end in one of {', '.join(ACCEPTED)}.")
    if suffix in TEXTS:
        if not source:
            raise InvalidInput("Name the source that published this file.")
        yield await _document(file, name, source)
        return
    splitter = LineSplitter(MAX_LINE_BYTES)
    while piece := await file.read(PIECE_BYTES):
        for line in splitter.feed(piece):
            yield line
    if rest := splitter.rest():
        yield rest


async def _document(file: UploadFile, name: str, source: str) -> bytes:
    content = await file.read(MAX_LINE_BYTES + 1)
    if len(content) > MAX_LINE_BYTES:
        raise InvalidInput(f"A document is limited to {MAX_LINE_BYTES:,} bytes.")
    try:
        text = await asyncio.to_thread(text_of, content)
    except FetchFailed as error:
        raise InvalidInput(str(error)) from error
    path = PurePath(name)
    fields = {"external_id": name, "title": path.stem, "media_type": TEXTS[path.suffix.lower()]}
    return json.dumps({"source": source, "content": text, **fields}).encode()


@dataclass(slots=True)
class ImportReport:
    """How many lines became what, and why lines were rejected."""

    counts: Counter[LineStatus] = field(default_factory=lambda: Counter(dict.fromkeys(LineStatus, 0)))
    rejections: list[LineResult] = field(default_factory=list)
    """The first `REJECTIONS_SHOWN`."""
    failure: str | None = None
    """Why later lines were not read."""

    @classmethod
    async def of(cls, results: AsyncIterator[LineResult]) -> Self:
        """The report of an import, which this runs."""
        report = cls()
        try:
            async for result in results:
                report.counts[result.status] += 1
                if result.status is LineStatus.REJECTED and len(report.rejections) < REJECTIONS_SHOWN:
                    report.rejections.append(result)
        except (ImportTooLarge, InvalidInput) as error:
            report.failure = str(error)
        return report

    @property
    def total(self) -> int:
        """Lines that were read."""
        return self.counts.total()

    @property
    def is_clean(self) -> bool:
        """Whether every line was taken."""
        return not self.rejections and self.failure is None
