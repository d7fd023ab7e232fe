"""The parts of a batch of documents as pieces that any worker prepares: each is a row, and a job until it is prepared.

The importing process writes all of them. It takes pieces off the queue as workers do, and prepares itself what a worker
left or lost.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from uuid import UUID

import numpy as np
import structlog
from numpy.typing import NDArray
from sqlalchemy import delete, or_, select, update
from uuid_utils.compat import uuid7

from estimator.errors import DISTRIBUTION, CredenceError
from registry.database.job_queue import PREPARING, Job, defer, has_job, take
from registry.database.retry import retry_on_disconnect
from registry.errors import DatabaseUnavailable, InvalidInput
from registry.ingest.chunking import Chunk
from registry.ingest.preparation import Draft, Preparation, PreparedText, prepare
from registry.ingest.service import NONE_PREPARED, Preparations, is_unchanged
from registry.ingest.texts import ExtractedText
from registry.inputs.documents import DocumentInput
from registry.models import Corpus, ImportPiece
from registry.models.base import Json
from registry.runtime import Runtime
from registry.store import documents

log = structlog.get_logger(__name__)

JOB = Job("prepare", queue=PREPARING)
# How often the importing process looks what workers have prepared, when it has nothing else to do.
POLL_SECONDS = 0.05
# Passages store no more of an embedding.
HALF = np.dtype("<f2")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a batch, with what a worker prepared of it."""

    drafts: Sequence[Draft]
    prepared: Preparations


class Pieces:
    """The parts of a batch that are not yet written, by the ids of their pieces."""

    def __init__(self, runtime: Runtime, parts: Mapping[UUID, Sequence[Draft]]) -> None:
        self._runtime = runtime
        self._left = dict(parts)
        self._lock = asyncio.Lock()
        self._heard = time.monotonic()

    async def next(self) -> Part | None:
        """A part that a worker has prepared, else one that none prepares; waits for one, None if none is left."""
        async with self._lock:
            while self._left:
                if part := await retry_on_disconnect(self._find):
                    return part
                await asyncio.sleep(POLL_SECONDS)
        return None

    async def _find(self) -> Part | None:
        pieces = select(ImportPiece.id).where(ImportPiece.id.in_(self._left))
        prepared = select(ImportPiece.id, ImportPiece.texts, ImportPiece.embeddings).where(
            ImportPiece.id.in_(self._left), ImportPiece.texts.is_not(None)
        )
        held = pieces.where(or_(ImportPiece.texts.is_not(None), has_job(JOB, ImportPiece.id)))
        async with self._runtime.database.begin() as session:
            row = (await session.execute(prepared.limit(1))).one_or_none()
            free: Collection[UUID] = ()
            if row is None:
                free = await take(session, JOB, pieces, limit=1) or self._left.keys() - set(await session.scalars(held))
        if row is not None:
            self._heard = time.monotonic()
            return Part(self._left.pop(row.id), _unpacked(row.texts, row.embeddings, self._runtime.embedder.dimension))
        if not free and self._waited_too_long():
            free = self._left.keys()
        return Part(self._left.pop(next(iter(free))), NONE_PREPARED) if free else None

    def _waited_too_long(self) -> bool:
        """Whether no worker has prepared anything for as long as one takes to be declared dead."""
        return time.monotonic() - self._heard > 3 * self._runtime.settings.job_heartbeat_seconds


@asynccontextmanager
async def offered(runtime: Runtime, corpus: Corpus, parts: Sequence[Sequence[Draft]]) -> AsyncIterator[Pieces]:
    """The parts, of which workers prepare what is not yet stored as it is, for the duration of the block."""
    pieces = {uuid7(): part for part in parts}
    async with runtime.database.begin() as session:
        existing = await documents.existing(session, [draft.key for part in parts for draft in part])
        rows = [
            ImportPiece(id=piece_id, corpus_id=corpus.id, settings=_settings(runtime), documents=changed)
            for piece_id, part in pieces.items()
            if (changed := [_packed_document(draft) for draft in part if not is_unchanged(draft, existing)])
        ]
        session.add_all(rows)
        await session.flush()
        if rows:
            await defer(session, runtime.jobs, JOB, *(row.id for row in rows))
    try:
        yield Pieces(runtime, pieces)
    finally:
        # Shielded, as a cancelled scope of anyio interrupts every wait in it.
        await asyncio.shield(_drop(runtime, list(pieces)))


async def prepare_piece(runtime: Runtime, piece_id: UUID) -> None:
    """Prepare a piece, unless it is prepared or given up, or was made with other settings.

    What fails here is left to the importing process.
    """
    async with runtime.database.begin() as session:
        piece = await session.get(ImportPiece, piece_id)
    if piece is None or piece.texts is not None:
        return
    if piece.settings != _settings(runtime):
        log.warning("piece_of_other_settings", theirs=piece.settings, ours=_settings(runtime))
        return
    batch = [
        DocumentInput(content=document["content"], media_type=document["media_type"]) for document in piece.documents
    ]
    try:
        outcomes = await prepare(runtime, batch)
    except CredenceError as error:
        log.warning("piece_not_prepared", why=error)
        return
    texts = [_packed(document["id"], outcome) for document, outcome in zip(piece.documents, outcomes, strict=True)]
    vectors = [outcome.embeddings for outcome in outcomes if isinstance(outcome, PreparedText)]
    embeddings = b"".join(vector.astype(HALF).tobytes() for vector in vectors)
    async with runtime.database.begin() as session:
        prepared = update(ImportPiece).where(ImportPiece.id == piece_id).values(texts=texts, embeddings=embeddings)
        await session.execute(prepared)


async def _drop(runtime: Runtime, piece_ids: Sequence[UUID]) -> None:
    """Delete pieces, with their jobs that wait; housekeeping does where the database is away."""
    with suppress(DatabaseUnavailable):
        async with runtime.database.begin() as session:
            await take(session, JOB, select(ImportPiece.id).where(ImportPiece.id.in_(piece_ids)))
            await session.execute(delete(ImportPiece).where(ImportPiece.id.in_(piece_ids)))


def _settings(runtime: Runtime) -> Json:
    """What the preparation of a document depends on besides the document."""
    return {
        "credence": _version(),
        "embedder": runtime.embedder.name,
        "passage_characters": runtime.settings.passage_characters,
        "max_document_characters": runtime.settings.max_document_characters,
    }


@cache
def _version() -> str:
    return version(DISTRIBUTION)


def _packed_document(draft: Draft) -> Json:
    return {"id": str(draft.id), "content": draft.document.content, "media_type": draft.document.media_type}


def _packed(draft_id: str, outcome: Preparation) -> Json:
    if isinstance(outcome, InvalidInput):
        return {"id": draft_id, "refusal": str(outcome), "field": outcome.field, "chunks": []}
    text = outcome.text
    return {
        "id": draft_id,
        "content": text.content,
        "chunks": [[chunk.start, chunk.end] for chunk in text.chunks],
        "signatures": [signature and signature.hex() for signature in text.signatures],
    }


def _unpacked(texts: Sequence[Json], embeddings: bytes, dimension: int) -> Preparations:
    vectors = np.frombuffer(embeddings, HALF).reshape(-1, dimension).astype(np.float32)
    per_text = np.split(vectors, np.cumsum([len(text["chunks"]) for text in texts])[:-1])
    return {UUID(text["id"]): _unpacked_text(text, rows) for text, rows in zip(texts, per_text, strict=True)}


def _unpacked_text(text: Json, embeddings: NDArray[np.float32]) -> Preparation:
    if "refusal" in text:
        return InvalidInput(text["refusal"], field=text["field"])
    content = text["content"]
    chunks = [Chunk(start, end, content[start:end]) for start, end in text["chunks"]]
    signatures = [None if signature is None else bytes.fromhex(signature) for signature in text["signatures"]]
    return PreparedText(ExtractedText(content, chunks, signatures), embeddings)
