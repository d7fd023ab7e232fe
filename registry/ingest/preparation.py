"""From what a source sent to what is written: extracted, cut, embedded. No SQL."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from uuid_utils.compat import uuid7

from registry.errors import InvalidInput
from registry.ingest.chunking import Chunk, chunk
from registry.ingest.extraction import extract
from registry.ingest.minhash import signature
from registry.inputs.documents import DocumentInput
from registry.runtime import Runtime
from registry.settings import Settings

# The slowest pages that we could make take 6 s a million characters; what takes longer is made to be slow.
EXTRACT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Draft:
    """A document as it came, with the names it will have if it is new."""

    id: UUID
    external_id: str
    given: DocumentInput
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class Text:
    """What a document says, and where it was cut."""

    content: str
    chunks: Sequence[Chunk]
    signatures: Sequence[bytes | None]
    """One a chunk."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be written; one row of `embeddings` a chunk."""

    draft: Draft
    text: Text
    embeddings: NDArray[np.float32]


def draft(document: DocumentInput) -> Draft:
    """The document with its hash, and with names where it brought none: the same ones each time it is written."""
    identifier = uuid7()
    return Draft(identifier, document.external_id or str(identifier), document, content_hash(document))


def content_hash(document: DocumentInput) -> bytes:
    """SHA-256 over everything but the external id."""
    fields = document.model_dump(mode="json", exclude={"external_id"})
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).digest()


async def prepare(runtime: Runtime, drafts: Sequence[Draft]) -> list[Prepared | InvalidInput]:
    """Each document ready to be written, or why it cannot be. Raises the embedder's errors."""
    texts = [await _text_or_refusal(one.given, runtime.settings) for one in drafts]
    pieces = [[] if isinstance(text, InvalidInput) else [piece.content for piece in text.chunks] for text in texts]
    vectors = await runtime.embedder.embed([piece for some in pieces for piece in some])
    per_document = np.split(vectors, np.cumsum([len(some) for some in pieces])[:-1])
    return [
        text if isinstance(text, InvalidInput) else Prepared(one, text, embeddings)
        for one, text, embeddings in zip(drafts, texts, per_document, strict=True)
    ]


async def _text_or_refusal(document: DocumentInput, settings: Settings) -> Text | InvalidInput:
    limit = settings.max_document_characters
    if len(document.content) > limit:
        why = f"The document is longer than {limit} characters (CREDENCE_MAX_DOCUMENT_CHARACTERS); split it."
        return InvalidInput(why, field="content")
    try:
        async with asyncio.timeout(EXTRACT_SECONDS):
            return await asyncio.to_thread(_text, document, settings.passage_characters)
    except InvalidInput as refusal:
        return refusal
    except TimeoutError:
        return InvalidInput(f"No text could be taken from this document in {EXTRACT_SECONDS:g} s.", field="content")


def _text(document: DocumentInput, characters: int) -> Text:
    content = extract(document.content, document.media_type)
    chunks = chunk(content, document.media_type, characters=characters)
    return Text(content, chunks, [signature(one.content) for one in chunks])
