"""One batch of documents: look up what is there, prepare what is not, write all of it in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from registry.errors import Conflict, InvalidInput
from registry.ingest import writer
from registry.ingest.preparation import Draft, Prepared, draft, prepare
from registry.ingest.writer import Known
from registry.inputs.documents import DocumentInput
from registry.models import Corpus, SourceStatus
from registry.results.ingest import LineStatus
from registry.runtime import Runtime
from registry.store import sources


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What became of a document."""

    document_id: UUID
    external_id: str
    status: LineStatus
    passages: int


async def ingest(
    runtime: Runtime, corpus: Corpus, source_id: UUID, documents: Sequence[DocumentInput]
) -> list[IngestResult]:
    """Write all of the documents, or none; those of an external id that is there replace it if they differ from it.

    The results are those of sending one after the other, so that of several documents with one external id the last
    one stays. Raises `InvalidInput` for a document without text, `Conflict` for a retired source.
    """
    drafts = [draft(document) for document in documents]
    outcomes = await ingest_drafts(runtime, corpus, source_id, drafts, all_or_nothing=True)
    return [outcome for outcome in outcomes if isinstance(outcome, IngestResult)]


async def ingest_drafts(
    runtime: Runtime, corpus: Corpus, source_id: UUID, drafts: Sequence[Draft], *, all_or_nothing: bool
) -> list[IngestResult | InvalidInput]:
    """Write the documents that can be written; for the others, why not. The same drafts can be sent again safely."""
    async with runtime.database.begin() as session:
        await _open_source(session, corpus, source_id)
        known = await writer.known_documents(session, source_id, [one.external_id for one in drafts])
    new = [one for one in drafts if not _is_known(one, known)]
    prepared = dict(zip([one.id for one in new], await prepare(runtime, new), strict=True)) if new else {}
    refusals = [outcome for outcome in prepared.values() if isinstance(outcome, InvalidInput)]
    if refusals and all_or_nothing:
        raise refusals[0]
    written = await _write_last(runtime, corpus, source_id, _last(drafts, prepared, known))
    return _results(drafts, prepared, known, written)


async def _open_source(session: AsyncSession, corpus: Corpus, source_id: UUID) -> None:
    """Keep the source from being deleted until the transaction ends; raises `Conflict` if it takes no documents."""
    source = await sources.hold(session, corpus, source_id)
    if source.status == SourceStatus.RETIRED:
        raise Conflict("This source is retired and takes no more documents. Make it active first.")


def _is_known(one: Draft, known: Mapping[str, Known]) -> bool:
    found = known.get(one.external_id)
    return found is not None and found.content_hash == one.content_hash


def _last(
    drafts: Sequence[Draft], prepared: Mapping[UUID, Prepared | InvalidInput], known: Mapping[str, Known]
) -> list[Prepared]:
    """What the database has to hold in the end and does not, in an order that no two batches lock in differently."""
    last: dict[str, Prepared] = {}
    for one in drafts:
        outcome = prepared.get(one.id)
        if isinstance(outcome, Prepared):
            last[one.external_id] = outcome
        elif _is_known(one, known):
            last.pop(one.external_id, None)
    return [last[external_id] for external_id in sorted(last)]


async def _write_last(
    runtime: Runtime, corpus: Corpus, source_id: UUID, prepared: Sequence[Prepared]
) -> Mapping[str, UUID]:
    if not prepared:
        return {}
    async with runtime.database.begin() as session:
        await _open_source(session, corpus, source_id)
        await writer.claim_embedding_space(session, runtime.embedder)
        return await writer.write(session, corpus, source_id, prepared)


def _results(
    drafts: Sequence[Draft],
    prepared: Mapping[UUID, Prepared | InvalidInput],
    known: Mapping[str, Known],
    written: Mapping[str, UUID],
) -> list[IngestResult | InvalidInput]:
    """What each document did to those before it, as if they had come one by one."""
    state = dict(known)
    results: list[IngestResult | InvalidInput] = []
    for one in drafts:
        outcome = prepared.get(one.id)
        if isinstance(outcome, InvalidInput):
            results.append(outcome)
            continue
        before = state.get(one.external_id)
        identifier = before.id if before is not None else written.get(one.external_id, one.id)
        passages = len(outcome.text.chunks) if outcome is not None else known[one.external_id].passages
        state[one.external_id] = Known(identifier, one.content_hash, passages)
        results.append(IngestResult(identifier, one.external_id, _status(one, before), passages))
    return results


def _status(one: Draft, before: Known | None) -> LineStatus:
    if before is None:
        return LineStatus.CREATED
    return LineStatus.UNCHANGED if before.content_hash == one.content_hash else LineStatus.UPDATED
