"""NDJSON imports: bounded batches, one transaction each, a result a line after the commit that made it true."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from registry.database.retry import patiently
from registry.errors import InvalidInput
from registry.ingest.pipeline import IngestResult, ingest_drafts
from registry.ingest.preparation import Draft, draft
from registry.inputs.documents import DocumentInput
from registry.inputs.ndjson import numbered, parse_line
from registry.models import Corpus
from registry.results.ingest import LineResult, rejected
from registry.runtime import Runtime

MAX_DOCUMENTS = 256
MAX_CHARACTERS = 4_000_000


@dataclass(frozen=True, slots=True)
class Line:
    """A line that holds a document."""

    number: int
    draft: Draft


async def import_documents(
    runtime: Runtime, corpus: Corpus, source_id: UUID, lines: AsyncIterator[bytes]
) -> AsyncIterator[LineResult]:
    """Import NDJSON into a source. What was yielded as created or updated is committed.

    The results are those of sending the documents one after the other. When Postgres goes away, a batch waits and is
    sent again; if that takes too long, `DatabaseUnavailable` ends the import, and it can be repeated as a whole.
    """
    batch: list[Line] = []
    characters = 0
    async for number, raw in numbered(lines):
        try:
            line = Line(number, draft(parse_line(DocumentInput, raw)))
        except ValueError as error:
            yield rejected(number, str(error))
            continue
        batch.append(line)
        characters += len(line.draft.given.content)
        if len(batch) >= MAX_DOCUMENTS or characters >= MAX_CHARACTERS:
            for result in await _import(runtime, corpus, source_id, batch):
                yield result
            batch, characters = [], 0
    if batch:
        for result in await _import(runtime, corpus, source_id, batch):
            yield result


async def _import(runtime: Runtime, corpus: Corpus, source_id: UUID, batch: Sequence[Line]) -> list[LineResult]:
    drafts = [line.draft for line in batch]
    outcomes = await patiently(lambda: ingest_drafts(runtime, corpus, source_id, drafts, all_or_nothing=False))
    return [_result(line, outcome) for line, outcome in zip(batch, outcomes, strict=True)]


def _result(line: Line, outcome: IngestResult | InvalidInput) -> LineResult:
    if isinstance(outcome, InvalidInput):
        return rejected(line.number, str(outcome), line.draft.given.external_id)
    return LineResult(line.number, outcome.status, outcome.document_id, outcome.external_id)
