"""NDJSON imports of documents, queries and ratings, in batches; documents of a batch are written in parts at once.

A result is yielded after the transaction that made it true, one for each part. It is repeated while Postgres restarts;
if that takes too long, `DatabaseUnavailable` ends the import, which can be repeated as a whole.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeAlias, TypeVar
from uuid import UUID

from uuid_utils.compat import uuid7

from registry.corpora.model import Corpus
from registry.documents.preparation import Draft, draft_of
from registry.documents.schemas import (
    DocumentInput,
    DocumentLine,
    IngestResult,
    LineResult,
    LineStatus,
    of_rows,
    rejected,
)
from registry.documents.service import ingest_drafts, retired
from registry.documents.store import DocumentKey
from registry.documents.value_schemas import NO_COLUMNS
from registry.keys.service import bound_of
from registry.platform.concurrency import run_concurrently
from registry.platform.database.base import AsyncSession
from registry.platform.database.locks import retry_on_disconnect
from registry.platform.enums import SourceStatus
from registry.platform.errors import ImportTooLarge, InvalidInput, NotFound
from registry.platform.ndjson import number_lines, parse_line
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import RatingLine
from registry.sources.store import ratings
from registry.votes.schemas import VoteRow

BATCH_LINES = 256
BATCH_BYTES = 4_000_000
# Bounds of what one request can make a process do; blank lines count.
MAX_LINES = 20_000_000
MAX_REJECTIONS = 10_000

Values = TypeVar("Values", DocumentInput, DocumentLine, QueryInput, RatingLine, VoteRow)
AnyDocument = TypeVar("AnyDocument", DocumentInput, DocumentLine)


@dataclass(frozen=True, slots=True)
class Line(Generic[Values]):
    """A valid line. A new row gets `new_id`, the same one each time the batch is written."""

    number: int
    new_id: UUID
    values: Values


Write: TypeAlias = Callable[[Sequence[Line[Values]]], Awaitable[list[LineResult]]]


def import_documents(
    runtime: Runtime,
    corpus: Corpus,
    source_id: UUID,
    lines: AsyncIterator[bytes],
    *,
    key_id: UUID | None = None,
    columns: Mapping[str, str] = NO_COLUMNS,
) -> AsyncIterator[LineResult]:
    """Import documents into a source; the results are those of ingesting them one after the other.

    With `columns` the lines are rows of a table that state values in these columns.
    """

    async def write(batch: Sequence[Line[DocumentInput]]) -> list[LineResult]:
        return await _ingest_lines(runtime, corpus, [(line, source_id) for line in batch], key_id)

    return import_lines(lines, partial(parse_line, of_rows(DocumentInput, columns)), write)


def import_documents_of_sources(
    runtime: Runtime,
    corpus: Corpus,
    lines: AsyncIterator[bytes],
    *,
    key_id: UUID | None = None,
    columns: Mapping[str, str] = NO_COLUMNS,
) -> AsyncIterator[LineResult]:
    """Like `import_documents`, with a source in each line; sources that the corpus does not have are created."""
    write = partial(write_documents, runtime, corpus, key_id=key_id)
    return import_lines(lines, partial(parse_line, of_rows(DocumentLine, columns)), write)


async def write_documents(
    runtime: Runtime, corpus: Corpus, batch: Sequence[Line[DocumentLine]], *, key_id: UUID | None = None
) -> list[LineResult]:
    """Write documents of many sources, in parts at once; sources that the corpus does not have are made.

    A line of a source that the key is not bound to is rejected.
    """
    async with runtime.database.begin() as session:
        bound = await bound_of(session, key_id)
        by_name = await sources.find_or_create(session, corpus, {line.values.source for line in batch}, bound)
    taken: list[tuple[Line[DocumentLine], UUID]] = []
    results: list[LineResult] = []
    for line in batch:
        source = by_name[line.values.source]
        reason = retired(source) if isinstance(source, Source) and source.status == SourceStatus.RETIRED else source
        if isinstance(reason, str):
            results.append(rejected(line.number, reason, line.values.external_id))
        else:
            taken.append((line, reason.id))
    return results + await _ingest_lines(runtime, corpus, taken, key_id)


async def _ingest_lines(
    runtime: Runtime, corpus: Corpus, lines: Sequence[tuple[Line[AnyDocument], UUID]], key_id: UUID | None
) -> list[LineResult]:
    """Raises the first error of a part; the others may be written or not."""
    drafts = [draft_of(line.values, source_id, line.new_id) for line, source_id in lines]
    outcomes: dict[UUID, IngestResult | InvalidInput] = {}

    async def write(part: Sequence[Draft]) -> None:
        ingesting = partial(ingest_drafts, runtime, corpus, part, all_or_nothing=False, key_id=key_id)
        results = await retry_on_disconnect(ingesting)
        outcomes.update(zip((draft.id for draft in part), results, strict=True))

    parts = _parts(drafts, runtime.settings.extraction_processes or 2)
    await run_concurrently(*map(write, parts))
    return [_line_result(line, outcomes[line.new_id]) for line, _ in lines]


def _parts(drafts: Sequence[Draft], count: int) -> list[list[Draft]]:
    """Split into at most so many parts of about equal length; the versions of a document stay in one part, in order."""
    parts: list[list[Draft]] = [[] for _ in range(count)]
    lengths = [0] * count
    part_of: dict[DocumentKey, int] = {}
    for draft in drafts:
        part = part_of.setdefault(draft.key, lengths.index(min(lengths)))
        parts[part].append(draft)
        lengths[part] += len(draft.document.content)
    return [part for part in parts if part]


def import_queries(
    runtime: Runtime, corpus: Corpus, lines: AsyncIterator[bytes], *, keep_verdicts: bool = False
) -> AsyncIterator[LineResult]:
    async def write(batch: Sequence[Line[QueryInput]]) -> list[LineResult]:
        async with runtime.database.begin() as session:
            rows = [
                await queries.upsert(session, corpus, line.new_id, line.values, keep_verdicts=keep_verdicts)
                for line in batch
            ]
        return [
            LineResult(line=line.number, status=status, id=query.id, external_id=query.external_id)
            for line, (query, status) in zip(batch, rows, strict=True)
        ]

    return import_lines(lines, partial(parse_line, QueryInput), write)


def import_ratings(
    runtime: Runtime, corpus: Corpus, lines: AsyncIterator[bytes], *, created_by: str
) -> AsyncIterator[LineResult]:
    """Import ratings of sources; of two ratings of one source the later counts."""

    async def write(batch: Sequence[Line[RatingLine]]) -> list[LineResult]:
        async with runtime.database.begin() as session:
            rated = await sources.lock_named(session, corpus, {line.values.external_id for line in batch})
            # Without a flush before each statement, what the audit log records is written in one.
            with session.no_autoflush:
                return [await _rate(session, rated.get(line.values.external_id), created_by, line) for line in batch]

    return import_lines(lines, partial(parse_line, RatingLine), write)


async def _rate(session: AsyncSession, source: Source | None, created_by: str, line: Line[RatingLine]) -> LineResult:
    if source is None:
        external_id = line.values.external_id
        return rejected(line.number, str(NotFound("source", external_id)), external_id)
    _, status = await ratings.put(session, source, line.values, created_by)
    return LineResult(line=line.number, status=status, id=source.id, external_id=source.external_id)


async def import_lines(
    lines: AsyncIterator[bytes],
    parse: Callable[[bytes], Values],
    write: Write[Values],
    *,
    batch_lines: int = BATCH_LINES,
    read_ahead: bool = False,
) -> AsyncIterator[LineResult]:
    """The results of all lines up to a limit, which is raised when they are written.

    `parse` raises ValueError with a message for the author of a line. To `read_ahead` is to read lines while a batch is
    written, up to the next one.
    """
    rejections, failure = 0, None
    batches: _Batches[Values] = _Batches(parse, write, batch_lines, read_ahead=read_ahead)
    try:
        try:
            async for number, content in number_lines(lines, MAX_LINES):
                for result in await batches.add(number, content):
                    rejections += result.status is LineStatus.REJECTED
                    yield result
                if rejections > MAX_REJECTIONS:
                    raise ImportTooLarge(
                        f"More than {MAX_REJECTIONS} lines were rejected; mend the file and send it again."
                    )
        except ImportTooLarge as error:
            failure = error
        for result in [*await batches.write(), *await batches.written()]:
            yield result
        if failure is not None:
            raise failure
    finally:
        await batches.aclose()


class _Batches(Generic[Values]):
    """Valid lines that wait to be written, and those that are being written."""

    def __init__(self, parse: Callable[[bytes], Values], write: Write[Values], most: int, *, read_ahead: bool) -> None:
        self._parse: Callable[[bytes], Values] = parse
        self._write: Write[Values] = write
        self._most = most
        self._read_ahead = read_ahead
        self._lines: list[Line[Values]] = []
        self._bytes = 0
        self._writing: asyncio.Task[list[LineResult]] | None = None

    async def add(self, number: int, content: bytes) -> list[LineResult]:
        """The results that are known now: of a bad line its own, and those of a batch that is written."""
        results: list[LineResult] = []
        if self._writing is not None and self._writing.done():
            results = await self.written()
        try:
            self._lines.append(Line(number, uuid7(), self._parse(content)))
        except ValueError as error:
            return [*results, rejected(number, str(error))]
        self._bytes += len(content)
        is_full = len(self._lines) >= self._most or self._bytes >= BATCH_BYTES
        return [*results, *await self.write()] if is_full else results

    async def write(self) -> list[LineResult]:
        """Write what waits, once the batch before is written; returns the results that are known then."""
        results: list[LineResult] = await self.written()
        if self._lines:
            writing = retry_on_disconnect(partial(self._write, self._lines))
            self._lines, self._bytes = [], 0
            self._writing = asyncio.create_task(writing)
        return results if self._read_ahead else [*results, *await self.written()]

    async def written(self) -> list[LineResult]:
        """The results of the batch that is being written, once it is; none where none is."""
        writing, self._writing = self._writing, None
        return [] if writing is None else await writing

    async def aclose(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.wait([self._writing])


def _line_result(line: Line[AnyDocument], outcome: IngestResult | InvalidInput) -> LineResult:
    if isinstance(outcome, InvalidInput):
        return rejected(line.number, str(outcome), line.values.external_id)
    return LineResult(line=line.number, status=outcome.status, id=outcome.document_id, external_id=outcome.external_id)
