"""NDJSON imports: bounded batches, one transaction each, a result a line after the commit that made it true."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from registry.documents import DocumentInput
from registry.errors import DatabaseUnavailable, InvalidInput
from registry.ingest.pipeline import IngestResult, ingest
from registry.lines import LineResult, numbered, parse_line, rejected
from registry.models import Corpus
from registry.runtime import Runtime

MAX_DOCUMENTS = 256
MAX_CHARACTERS = 4_000_000
# How long a batch waits for a database that went away; a restart takes a few seconds.
PATIENCE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line that holds a document."""

    number: int
    document: DocumentInput


async def import_documents(
    runtime: Runtime, corpus: Corpus, source_id: UUID, lines: AsyncIterator[bytes]
) -> AsyncIterator[LineResult]:
    """Import NDJSON into a source. What was yielded as created or updated is committed."""
    batch: list[Line] = []
    characters = 0
    async for number, raw in numbered(lines):
        try:
            line = Line(number, parse_line(DocumentInput, raw))
        except ValueError as error:
            yield rejected(number, str(error))
            continue
        batch.append(line)
        characters += len(line.document.content)
        if len(batch) >= MAX_DOCUMENTS or characters >= MAX_CHARACTERS:
            for result in await _import(runtime, corpus, source_id, batch):
                yield result
            batch, characters = [], 0
    if batch:
        for result in await _import(runtime, corpus, source_id, batch):
            yield result


async def _import(runtime: Runtime, corpus: Corpus, source_id: UUID, batch: Sequence[Line]) -> list[LineResult]:
    """One batch; if a document in it is refused, each on its own, so that the others get in."""
    try:
        return await _write(runtime, corpus, source_id, batch)
    except InvalidInput as error:
        if len(batch) == 1:
            return [rejected(batch[0].number, str(error))]
    return [result for line in batch for result in await _import(runtime, corpus, source_id, [line])]


async def _write(runtime: Runtime, corpus: Corpus, source_id: UUID, batch: Sequence[Line]) -> list[LineResult]:
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(DatabaseUnavailable),
        wait=wait_random_exponential(multiplier=0.2, max=3),
        stop=stop_after_delay(PATIENCE_SECONDS),
        reraise=True,
    )
    written: list[IngestResult] = await retrying(ingest, runtime, corpus, source_id, [line.document for line in batch])
    return [
        LineResult(line.number, result.status, result.document_id, result.external_id)
        for line, result in zip(batch, written, strict=True)
    ]
