"""The parts of a batch are prepared by several workers, of which any may die, fail or have other settings."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import anyio
import pytest
from sqlalchemy import func, select, text

from answering.embedders import Embedder
from answering.embedders.embedder import Vectors
from answering.errors import ModelUnavailable
from registry.database.job_queue import enter_schema, take
from registry.ingest import pieces
from registry.inputs.sources import SourceInput
from registry.jobs.worker import run_worker
from registry.models import Corpus, Document, ImportPiece, Passage, Source
from registry.runtime import Runtime
from registry.store import sources
from tests.eventually import eventually
from tests.registry.ingest.documents import CountingEmbedder, imported

PARTS = 8
WORDS = " ".join(f"The tower of number {number} is painted red." for number in range(40))
DOCUMENTS = [{"external_id": str(number), "content": f"Number {number}. {WORDS}"} for number in range(PARTS)]


class HeldEmbedder(CountingEmbedder):
    """Waits with the first texts."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self.asked, self.goes_on = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.set()
        await self.goes_on.wait()
        return await super().embed(texts)


class DeadEmbedder(CountingEmbedder):
    """Its server cannot be reached."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        raise ModelUnavailable(f"There is no server for {len(texts)} texts.")


@pytest.fixture
def importing(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Runtime:
    """It imports a part at a time, of about one document, and waits for workers for hours."""
    monkeypatch.setattr("registry.ingest.imports.PIECE_CHARACTERS", len(WORDS))
    monkeypatch.setattr(pieces, "POLL_SECONDS", 0.001)
    return changed(runtime, import_workers=1, import_concurrency=1, job_heartbeat_seconds=3600.0)


def changed(runtime: Runtime, **settings: object) -> Runtime:
    return replace(runtime, settings=runtime.settings.model_copy(update=settings))


@asynccontextmanager
async def held(importing: Runtime, corpus: Corpus, source: Source) -> AsyncIterator[HeldEmbedder]:
    """An import that prepares its first part in the block, and the rest after it."""
    embedder = HeldEmbedder(importing.embedder)
    task = asyncio.create_task(imported(replace(importing, embedder=embedder), corpus, source, *DOCUMENTS))
    await embedder.asked.wait()
    try:
        yield embedder
    finally:
        embedder.goes_on.set()
        async with asyncio.timeout(60):
            results = await task
    assert [result.status.value for result in results] == ["created"] * PARTS
    assert len({row[0] for row in await rows(importing, source)}) == PARTS


async def taken(runtime: Runtime) -> UUID:
    """The piece of a job that waited."""
    async with runtime.database.begin() as session:
        (piece_id,) = await take(session, pieces.JOB, select(ImportPiece.id), limit=1)
    return piece_id


async def left(runtime: Runtime) -> tuple[int, int]:
    """How many pieces there are, and how many jobs."""
    async with runtime.database.begin() as session:
        return (
            await session.scalar(select(func.count()).select_from(ImportPiece)) or 0,
            await session.scalar(text("SELECT count(*) FROM procrastinate.procrastinate_jobs")) or 0,
        )


async def rows(runtime: Runtime, source: Source) -> list[tuple[Any, ...]]:
    """What is stored, without identifiers and times."""
    document = (Document.external_id, Document.content, Document.content_hash, Document.title, Document.size)
    passage = (Passage.ordinal, Passage.start_offset, Passage.end_offset, Passage.content, Passage.signature)
    stored = select(*document, *passage, Passage.embedding).join(Passage, Passage.document_id == Document.id)
    stored = stored.where(Passage.source_id == source.id).order_by(Document.external_id, Passage.ordinal)
    async with runtime.database.begin() as session:
        return [tuple(row) for row in await session.execute(stored)]


async def test_an_import_is_the_same_with_workers(importing: Runtime, corpus: Corpus, source: Source) -> None:
    values = [
        *DOCUMENTS,
        {"external_id": "0", "content": f"Again. {WORDS}"},
        {"external_id": "page", "content": f"<main><p>{WORDS}</p></main>", "media_type": "text/html", "title": "A"},
        {"external_id": "empty", "content": "<p></p>" * 300, "media_type": "text/html"},
        b"no JSON",
    ]
    async with importing.database.begin() as session:
        other = await sources.create(session, corpus, SourceInput(name="Gazette"))
    alone, elsewhere = (CountingEmbedder(importing.embedder) for _ in range(2))
    here = HeldEmbedder(importing.embedder)
    expected = await imported(changed(replace(importing, embedder=alone), import_workers=0), corpus, source, *values)
    stop = asyncio.Event()
    worker = asyncio.create_task(run_worker(replace(importing, embedder=elsewhere), stop=stop))
    task = asyncio.create_task(imported(replace(importing, embedder=here), corpus, other, *values))
    await eventually(lambda: elsewhere.texts)
    here.goes_on.set()
    results = await task
    assert [replace(result, id=None) for result in results] == [replace(result, id=None) for result in expected]
    assert await rows(importing, other) == await rows(importing, source)
    assert sorted(here.texts + elsewhere.texts) == sorted(alone.texts)
    again = await imported(replace(importing, embedder=here), corpus, other, *values[1:PARTS])
    assert {result.status.value for result in again} == {"unchanged"}
    assert sorted(here.texts + elsewhere.texts) == sorted(alone.texts)
    stop.set()
    await worker
    assert await left(importing) == (0, 0)


async def test_what_workers_lose_or_leave_is_prepared_here_and_nothing_else(
    importing: Runtime, corpus: Corpus, source: Source
) -> None:
    other = CountingEmbedder(importing.embedder)
    other.name = "other"
    async with held(importing, corpus, source) as here:
        await taken(importing)
        for leaving in (
            replace(importing, embedder=other),
            changed(importing, passage_characters=300),
            changed(importing, max_document_characters=10),
            replace(importing, embedder=DeadEmbedder(importing.embedder)),
        ):
            await pieces.prepare_piece(leaving, await taken(importing))
        await pieces.prepare_piece(importing, uuid4())
        await pieces.prepare_piece(importing, await taken(importing))
    assert not other.texts
    assert len({text.split(".")[0] for text in here.texts if text.startswith("Number")}) == PARTS - 1
    assert await left(importing) == (0, 0)


async def test_what_dead_workers_have_is_prepared_here_after_some_time(
    importing: Runtime, corpus: Corpus, source: Source
) -> None:
    waiting = held(changed(importing, job_heartbeat_seconds=0.01), corpus, source)
    async with waiting, importing.database.begin() as session:
        await enter_schema(session)
        await session.execute(text("UPDATE procrastinate.procrastinate_jobs SET status = 'doing'"))
    assert await left(importing) == (0, PARTS - 1)


async def test_an_import_that_ends_early_leaves_no_pieces(importing: Runtime, corpus: Corpus, source: Source) -> None:
    """It fails, or its client is gone: a cancelled scope of anyio, as of Starlette, interrupts every wait in it."""
    with pytest.raises(ModelUnavailable):
        await imported(replace(importing, embedder=DeadEmbedder(importing.embedder)), corpus, source, *DOCUMENTS)
    assert await left(importing) == (0, 0)
    embedder = HeldEmbedder(importing.embedder)
    async with anyio.create_task_group() as group:
        group.start_soon(imported, replace(importing, embedder=embedder), corpus, source, *DOCUMENTS)
        await embedder.asked.wait()
        group.cancel_scope.cancel()

    async def nothing_left() -> bool:
        return await left(importing) == (0, 0)

    await eventually(nothing_left, seconds=5)
