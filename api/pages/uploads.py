"""Files and a text from a form as lines of an import, and what became of them."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Self

from starlette.datastructures import UploadFile

from api.http.streaming.request_lines import PIECE_BYTES, LineSplitter
from registry.connectors.files import SUFFIXES, TEXTS, read_file
from registry.connectors.reading import read_with
from registry.documents.schemas import LineResult, LineStatus, MediaType
from registry.platform.concurrency import Processes
from registry.platform.errors import FetchFailed, ImportTooLarge, InvalidInput
from registry.platform.ndjson import MAX_LINE_BYTES

LINES = (".ndjson", ".jsonl")
ACCEPTED = (*LINES, *SUFFIXES)
REJECTIONS_SHOWN = 100
NO_SOURCE = "Name the source that published it."


@dataclass(slots=True)
class Sent:
    """The content of a form: files, and a text with its title, of one source."""

    files: Sequence[UploadFile]
    source: str
    title: str
    text: str
    max_file_bytes: int
    """The most that a PDF or an Office file may have."""
    processes: Processes | None = None
    """Processes that read them; None: threads of this process do."""
    failures: list[str] = field(default_factory=list)
    """The reasons why files, or the rest of one, were not read; `lines` notes them."""

    async def lines(self) -> AsyncIterator[bytes]:
        """The lines of NDJSON files, and a line with the text of each other one, and of the pasted text."""
        for file in self.files:
            name = PurePath(file.filename or "").name
            try:
                async for line in self._lines_of(file, name):
                    yield line
            except (InvalidInput, FetchFailed) as error:
                self.failures.append(f"{name}: {error}")
        if self.text:
            if self.source and self.title:
                yield self._document(self.title, self.title, self.text, MediaType.TEXT)
            else:
                self.failures.append("Name the source and the title of the text.")

    async def _lines_of(self, file: UploadFile, name: str) -> AsyncIterator[bytes]:
        suffix = PurePath(name).suffix.lower()
        if suffix in LINES:
            splitter = LineSplitter(MAX_LINE_BYTES)
            while piece := await file.read(PIECE_BYTES):
                for line in splitter.feed(piece):
                    yield line
            if rest := splitter.rest():
                yield rest
        elif suffix not in ACCEPTED:
            raise InvalidInput(f"The name of the file must end in one of {', '.join(ACCEPTED)}.")
        elif not self.source:
            raise InvalidInput(NO_SOURCE)
        else:
            limit = MAX_LINE_BYTES if suffix in TEXTS else self.max_file_bytes
            content = await file.read(limit + 1)
            if len(content) > limit:
                raise InvalidInput(f"A file of this kind is limited to {limit:,} bytes.")
            text, media_type = await read_with(self.processes, read_file, name, content)
            yield self._document(name, PurePath(name).stem, text, media_type)

    def _document(self, external_id: str, title: str, text: str, media_type: MediaType) -> bytes:
        fields = {"external_id": external_id, "title": title, "media_type": media_type}
        return json.dumps({"source": self.source, "content": text, **fields}).encode()


@dataclass(slots=True)
class ImportReport:
    """The number of lines by outcome, and why lines and files were rejected."""

    counts: Counter[LineStatus] = field(default_factory=lambda: Counter(dict.fromkeys(LineStatus, 0)))
    rejections: list[LineResult] = field(default_factory=list)
    """The first `REJECTIONS_SHOWN`."""
    failures: list[str] = field(default_factory=list)
    """The reasons why files, or all later lines, were not read."""

    @classmethod
    async def of(cls, results: AsyncIterator[LineResult], failures: list[str] | None = None) -> Self:
        """The report of an import, which this runs; `failures` are those noted meanwhile."""
        report = cls(failures=[] if failures is None else failures)
        try:
            async for result in results:
                report.counts[result.status] += 1
                if result.status is LineStatus.REJECTED and len(report.rejections) < REJECTIONS_SHOWN:
                    report.rejections.append(result)
        except ImportTooLarge as error:
            report.failures.append(str(error))
        return report

    @property
    def total(self) -> int:
        """Lines that were read."""
        return self.counts.total()

    @property
    def is_clean(self) -> bool:
        """Whether every line was taken."""
        return not self.rejections and not self.failures
