"""One batch of documents: prepare without I/O, embed, then write all of it in one transaction."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from uuid_utils.compat import uuid7

from registry import sources
from registry.documents import DocumentInput
from registry.errors import Conflict, InvalidInput
from registry.ingest import write
from registry.ingest.chunk import Chunk, chunk
from registry.ingest.extract import extract
from registry.lines import LineStatus
from registry.models import Corpus, SourceStatus
from registry.runtime import Runtime

# Preparing a batch is arithmetic in a thread; longer means that some content is made to be slow.
PREPARE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What became of a document."""

    document_id: UUID
    external_id: str
    status: LineStatus
    passages: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A document that is new or changed."""

    id: UUID
    external_id: str
    given: DocumentInput
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be written."""

    draft: Draft
    content: str
    chunks: Sequence[Chunk]
    embeddings: NDArray[np.float32]


async def ingest(
    runtime: Runtime, corpus: Corpus, source_id: UUID, documents: Sequence[DocumentInput]
) -> list[IngestResult]:
    """Write the documents, replacing those of the same external id; of two with one external id the last one counts.

    Unchanged documents cost a look at their hash. Raises `InvalidInput` for a document without text, `Conflict` for a
    retired source: nothing is written then.
    """
    external_ids = [document.external_id or str(uuid7()) for document in documents]
    hashes = [content_hash(document) for document in documents]
    async with runtime.database.begin() as session:
        source = await sources.get(session, corpus, source_id)
        if source.status == SourceStatus.RETIRED:
            raise Conflict("This source is retired and takes no more documents. Make it active first.")
        known = await write.known_documents(session, source_id, external_ids)
    last = {external_id: place for place, external_id in enumerate(external_ids)}
    changed = [
        place
        for external_id, place in last.items()
        if external_id not in known or known[external_id].content_hash != hashes[place]
    ]
    drafts = [
        Draft(known[name].id if name in known else uuid7(), name, documents[at], hashes[at])
        for name, at in ((external_ids[at], at) for at in changed)
    ]
    prepared = await _prepare(runtime, drafts)
    async with runtime.database.begin() as session:
        await write.claim_embedding_space(session, runtime.embedder)
        written = await write.write(session, corpus, source_id, prepared)
    return [
        _result(external_id, place == last[external_id], written.get(external_id), known.get(external_id))
        for place, external_id in enumerate(external_ids)
    ]


def content_hash(document: DocumentInput) -> bytes:
    """SHA-256 over everything but the external id."""
    fields = document.model_dump(mode="json", exclude={"external_id"})
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).digest()


async def _prepare(runtime: Runtime, drafts: Sequence[Draft]) -> list[Prepared]:
    if not drafts:
        return []
    inputs = [draft.given for draft in drafts]
    _check_lengths(inputs, runtime.settings.max_document_characters)
    try:
        async with asyncio.timeout(PREPARE_SECONDS):
            cut = await asyncio.to_thread(_cut, inputs, runtime.settings.passage_characters)
    except TimeoutError as error:
        why = f"No text could be taken from a document in {PREPARE_SECONDS:g} s."
        raise InvalidInput(why, field="content") from error
    vectors = await runtime.embedder.embed([piece.content for _, chunks in cut for piece in chunks])
    borders = np.cumsum([len(chunks) for _, chunks in cut])[:-1]
    return [
        Prepared(draft, content, chunks, embeddings)
        for draft, (content, chunks), embeddings in zip(drafts, cut, np.split(vectors, borders), strict=True)
    ]


def _check_lengths(documents: Sequence[DocumentInput], limit: int) -> None:
    if any(len(document.content) > limit for document in documents):
        raise InvalidInput(
            f"The document is longer than {limit} characters (CREDENCE_MAX_DOCUMENT_CHARACTERS); split it.",
            field="content",
        )


def _cut(documents: Sequence[DocumentInput], characters: int) -> list[tuple[str, Sequence[Chunk]]]:
    contents = [extract(document.content, document.media_type) for document in documents]
    return [
        (content, chunk(content, document.media_type, characters=characters))
        for document, content in zip(documents, contents, strict=True)
    ]


def _result(external_id: str, counts: bool, written: write.Written | None, known: write.Known | None) -> IngestResult:
    if written is not None:
        status = written.status if counts else LineStatus.UNCHANGED
        return IngestResult(written.id, external_id, status, written.passages if counts else 0)
    if known is None:
        raise Conflict(f"The document {external_id!r} was deleted while it was being written; send it again.")
    return IngestResult(known.id, external_id, LineStatus.UNCHANGED, known.passages)
