"""Ingest of one batch of documents: look up which are new or changed, prepare these, write them in one transaction."""

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias
from uuid import UUID

from uuid_utils.compat import uuid7

from registry.corpora.model import Corpus
from registry.documents import store as documents
from registry.documents.preparation import Draft, Preparation, PreparedText, draft_of, headings_above, prepare
from registry.documents.schemas import DocumentInput, IngestResult, LineStatus
from registry.documents.store import DocumentKey, ExistingDocument
from registry.keys.quotas import require_room
from registry.keys.service import bound_of, require_within
from registry.passages.store import writer
from registry.passages.store.writer import PassageRow, insert_passages, register_embedding_space
from registry.platform.database.base import AsyncSession
from registry.platform.enums import SourceStatus
from registry.platform.errors import Conflict, InvalidInput
from registry.queries import store as queries
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source

PreparedDocument: TypeAlias = tuple[Draft, PreparedText]
# By the ids of drafts.
Preparations: TypeAlias = Mapping[UUID, Preparation]


async def ingest(
    runtime: Runtime, corpus: Corpus, source_id: UUID, batch: Sequence[DocumentInput], *, key_id: UUID | None = None
) -> list[IngestResult]:
    """Write all documents of the batch, or none; a document replaces the one with its external id, if it differs.

    The results are those of sending the documents one after the other: the last one with an external id stays. Raises
    `InvalidInput` for a document without text, `Conflict` for a retired source, `Forbidden` for one that the API key is
    not bound to, `NotFound`, `QuotaExceeded` if the corpus or the key may not store so much, and the embedder's errors.
    """
    drafts = [draft_of(document, source_id, uuid7()) for document in batch]
    outcomes = await ingest_drafts(runtime, corpus, drafts, all_or_nothing=True, key_id=key_id)
    return [outcome for outcome in outcomes if isinstance(outcome, IngestResult)]


async def ingest_drafts(
    runtime: Runtime,
    corpus: Corpus,
    drafts: Sequence[Draft],
    *,
    all_or_nothing: bool,
    key_id: UUID | None = None,
) -> list[IngestResult | InvalidInput]:
    """Write the documents that have text, and say why the others are refused. Idempotent for the same drafts.

    Raises `NotFound`, `Conflict` or `Forbidden` where one of their sources is unknown, retired or not for this key,
    `QuotaExceeded`, and the errors of the embedder.
    """
    async with runtime.database.begin() as session:
        await _lock_sources(session, corpus, drafts, key_id)
        existing = await documents.existing(session, [draft.key for draft in drafts])
    changed = [draft for draft in drafts if not _is_unchanged(draft, existing)]
    outcomes = await prepare(runtime, [draft.document for draft in changed]) if changed else []
    preparations = {draft.id: outcome for draft, outcome in zip(changed, outcomes, strict=True)}
    refusals = [outcome for outcome in preparations.values() if isinstance(outcome, InvalidInput)]
    if refusals and all_or_nothing:
        raise refusals[0]
    written = await _write(runtime, corpus, _latest(drafts, preparations, existing), key_id)
    return _results(drafts, preparations, existing, written)


async def _lock_sources(session: AsyncSession, corpus: Corpus, drafts: Sequence[Draft], key_id: UUID | None) -> None:
    bound = await bound_of(session, key_id)
    for source in await sources.lock(session, corpus, {draft.source_id for draft in drafts}):
        require_within(bound, source)
        if source.status == SourceStatus.RETIRED:
            raise Conflict(retired(source))


def retired(source: Source) -> str:
    """The reason why a source takes no documents."""
    return f"The source {source.name!r} is retired and takes no more documents. Make it active first."


def _is_unchanged(draft: Draft, existing: Mapping[DocumentKey, ExistingDocument]) -> bool:
    document = existing.get(draft.key)
    return document is not None and document.content_hash == draft.content_hash


def _latest(
    drafts: Sequence[Draft],
    prepared: Preparations,
    existing: Mapping[DocumentKey, ExistingDocument],
) -> list[PreparedDocument]:
    """The last prepared document of each key, unless the stored one came after it.

    They are sorted by key, so that concurrent batches lock rows in the same order.
    """
    latest: dict[DocumentKey, PreparedDocument] = {}
    for draft in drafts:
        outcome = prepared.get(draft.id)
        if isinstance(outcome, PreparedText):
            latest[draft.key] = draft, outcome
        elif _is_unchanged(draft, existing):
            latest.pop(draft.key, None)
    return [latest[key] for key in sorted(latest)]


async def _write(
    runtime: Runtime, corpus: Corpus, prepared: Sequence[PreparedDocument], key_id: UUID | None
) -> Mapping[DocumentKey, UUID]:
    if not prepared:
        return {}
    async with runtime.database.begin() as session:
        await _lock_sources(session, corpus, [draft for draft, _ in prepared], key_id)
        await register_embedding_space(session, runtime.embedder)
        ids = await documents.upsert(
            session,
            [_document_row(draft, text, key_id) for draft, text in prepared],
            keep_revisions=runtime.settings.keep_revisions,
        )
        await require_room(session, corpus, key_id)
        rows = [row for draft, text in prepared for row in _passage_rows(ids[draft.key], draft, text)]
        await insert_passages(session, corpus, rows)
        stated = {(draft.source_id, ids[draft.key]): draft.document.stated_values for draft, _ in prepared}
        if about := await writer.insert_values(session, corpus, stated):
            await queries.add_stated(session, corpus, about)
    return ids


def _document_row(draft: Draft, prepared: PreparedText, key_id: UUID | None) -> dict[str, object]:
    return {
        "id": draft.id,
        "source_id": draft.source_id,
        "external_id": draft.external_id,
        "content": prepared.text.content,
        "content_hash": draft.content_hash,
        "size": _size(prepared.text.content, draft.document),
        "key_id": key_id,
        **draft.document.model_dump(
            include={"title", "url", "media_type", "published_at", "attributes", "allowed_groups"}
        ),
    }


def _size(content: str, document: DocumentInput) -> int:
    """Bytes of its texts; empty attributes and values count nothing."""
    more = (json.dumps(document.attributes, ensure_ascii=False)[1:-1], document.title)
    values = (text for value in document.stated_values for text in (value.subject, value.relation, value.value))
    return sum(len(text.encode()) for text in (content, *more, *values))


def _passage_rows(document_id: UUID, draft: Draft, prepared: PreparedText) -> list[PassageRow]:
    text = prepared.text
    headings = headings_above(text.content, draft.document.media_type, [chunk.start for chunk in text.chunks])
    pieces = zip(text.chunks, headings, prepared.embeddings, text.signatures, strict=True)
    return [
        PassageRow(
            draft.source_id,
            document_id,
            ordinal,
            chunk.start,
            chunk.end,
            chunk.content,
            heading,
            draft.document.title,
            embedding,
            signature,
        )
        for ordinal, (chunk, heading, embedding, signature) in enumerate(pieces)
    ]


def _results(
    drafts: Sequence[Draft],
    prepared: Preparations,
    existing: Mapping[DocumentKey, ExistingDocument],
    written: Mapping[DocumentKey, UUID],
) -> list[IngestResult | InvalidInput]:
    """The result of each document, as if the documents had been written one after the other."""
    state = dict(existing)
    results: list[IngestResult | InvalidInput] = []
    for draft in drafts:
        outcome = prepared.get(draft.id)
        if isinstance(outcome, InvalidInput):
            results.append(outcome)
            continue
        before = state.get(draft.key)
        document_id = before.id if before is not None else written.get(draft.key, draft.id)
        passages = len(outcome.text.chunks) if outcome is not None else existing[draft.key].passages
        state[draft.key] = ExistingDocument(document_id, draft.content_hash, passages)
        status = _status(draft, before)
        results.append(
            IngestResult(document_id=document_id, external_id=draft.external_id, status=status, passages=passages)
        )
    return results


def _status(draft: Draft, before: ExistingDocument | None) -> LineStatus:
    if before is None:
        return LineStatus.CREATED
    return LineStatus.UNCHANGED if before.content_hash == draft.content_hash else LineStatus.UPDATED
