"""Ingest of documents: created, replaced, unchanged, refused."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pgvector.psycopg.halfvec import HalfVectorBinaryDumper
from sqlalchemy import func, select

from registry.corpora.model import Corpus
from registry.documents import store as documents
from registry.documents.model import EmbeddingSpace, Passage
from registry.documents.schemas import DocumentInput, MediaType
from registry.documents.service import ingest
from registry.platform.errors import Conflict, InvalidInput, NotFound
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from tests.registry.documents.documents import LongEmbedder, stored


async def test_passages_stand_where_they_say_in_the_stored_text(
    runtime: Runtime, corpus: Corpus, source: Source
) -> None:
    content = "\n\n".join(f"# {n} שלום\n\nAbsatz {n}: 漢字, e\u0301 und 😀. " + "Wort " * 60 for n in range(40))
    for media_type in MediaType:
        (result,) = await ingest(runtime, corpus, source.id, [DocumentInput(content=content, media_type=media_type)])
        async with runtime.database.begin() as session:
            document = await documents.get(session, corpus, source.id, result.document_id)
            rows = (await session.scalars(select(Passage).where(Passage.document_id == result.document_id))).all()
        assert len(rows) == result.passages > 5
        assert all(document.content[row.start_offset : row.end_offset] == row.content for row in rows)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), min_size=1, max_size=5))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_text_comes_back_as_it_was(
    runtime: Runtime, corpus: Corpus, source: Source, texts: list[str]
) -> None:
    given_documents = [DocumentInput(content=text) for text in texts if text.strip()]
    results = await ingest(runtime, corpus, source.id, given_documents)
    async with runtime.database.begin() as session:
        for original, result in zip(given_documents, results, strict=True):
            document = await documents.get(session, corpus, source.id, result.document_id)
            assert document.content == original.content
            rows = (await session.scalars(select(Passage).where(Passage.document_id == document.id))).all()
            assert all(original.content[row.start_offset : row.end_offset] == row.content for row in rows)


async def test_a_batch_is_written_whole_or_not_at_all(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    batch = [
        DocumentInput(external_id="a", content="Fine."),
        DocumentInput(external_id="b", content="<p></p>", media_type=MediaType.HTML),
    ]
    with pytest.raises(InvalidInput, match="no text"):
        await ingest(runtime, corpus, source.id, batch)
    assert await stored(runtime, source) == {}


async def test_the_embeddings_of_two_models_are_never_mixed(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    await ingest(runtime, corpus, source.id, [DocumentInput(content="Fine.")])
    with pytest.raises(Conflict, match="CREDENCE_EMBEDDER"):
        await ingest(replace(runtime, embedder=LongEmbedder(256)), corpus, source.id, [DocumentInput(content="Other.")])
    async with runtime.database.begin() as session:
        assert (await session.scalars(select(EmbeddingSpace.embedder))).all() == [runtime.embedder.name]


async def test_two_writers_of_the_same_documents_both_succeed(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    def batch(version: int, order: Sequence[int]) -> list[DocumentInput]:
        return [DocumentInput(external_id=str(n), content=f"Version {version} of {n}.") for n in order]

    for version in range(4):
        orders = (range(30), range(29, -1, -1), range(15, 30))
        writes = [ingest(runtime, corpus, source.id, batch(10 * version + n, order)) for n, order in enumerate(orders)]
        await asyncio.gather(*writes)
    stored_documents = await stored(runtime, source)
    assert len(stored_documents) == 30
    assert all(passages == [content] for content, passages in stored_documents.values())


async def test_a_source_deleted_under_a_writer_leaves_nothing_behind(
    runtime: Runtime, corpus: Corpus, source: Source
) -> None:
    async def delete() -> None:
        await asyncio.sleep(0.01)
        async with runtime.database.begin() as session:
            await sources.delete(session, corpus, source.id)

    batch = [DocumentInput(content=f"No {n}. " + "word " * 500) for n in range(200)]
    outcome, _ = await asyncio.gather(ingest(runtime, corpus, source.id, batch), delete(), return_exceptions=True)
    assert isinstance(outcome, NotFound | list)
    async with runtime.database.begin() as session:
        assert await session.scalar(select(func.count()).select_from(Passage)) == 0


async def test_writing_leaves_no_class_behind(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    """psycopg keeps every dumper that it was handed; one more for each transaction would fill the memory."""
    counts = []
    for text in ("One.", "Two.", "Three."):
        await ingest(runtime, corpus, source.id, [DocumentInput(external_id="a", content=text)])
        counts.append(len(HalfVectorBinaryDumper.__subclasses__()))
    assert counts == [counts[0]] * 3
