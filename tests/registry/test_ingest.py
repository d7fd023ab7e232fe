"""Documents in: what is created, replaced, left alone, refused, and what a line of an import is told."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from answering.embedders import Embedder
from answering.embedders.embedder import Vectors, normalised
from registry import ingest
from registry.errors import Conflict, InvalidInput, NotFound
from registry.inputs.documents import DocumentInput, MediaType
from registry.inputs.sources import SourceInput, SourcePatch
from registry.models import Corpus, Document, EmbeddingSpace, Passage, Query, Source, SourceStatus
from registry.results.ingest import LineResult
from registry.runtime import Runtime
from registry.store import documents, sources


@pytest.fixture
async def source(runtime: Runtime, corpus: Corpus) -> Source:
    async with runtime.database.begin() as session:
        return await sources.create(session, corpus, SourceInput(name="Herald", external_id="herald"))


class CountingEmbedder:
    """The real one, with a record of what it was asked for."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.name, self.dimension = inner.name, inner.dimension
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return await self._inner.embed(texts)

    async def aclose(self) -> None:
        await self._inner.aclose()


class LongEmbedder:
    """Embeddings too long for a row of an index."""

    def __init__(self, dimension: int) -> None:
        self.name, self.dimension = f"long:{dimension}", dimension

    async def embed(self, texts: Sequence[str]) -> Vectors:
        seeds = [sum(text.encode()) for text in texts]
        rows = [np.random.default_rng(seed).normal(size=self.dimension) for seed in seeds]
        return normalised(np.array(rows, dtype=np.float32).reshape(len(texts), self.dimension))

    async def aclose(self) -> None:
        return


async def lines(*given: object) -> AsyncIterator[bytes]:
    for line in given:
        yield line if isinstance(line, bytes) else json.dumps(line).encode()


async def imported(runtime: Runtime, corpus: Corpus, source: Source, *given: object) -> list[LineResult]:
    return [result async for result in ingest.import_documents(runtime, corpus, source.id, lines(*given))]


async def stored(runtime: Runtime, source: Source) -> dict[str, tuple[str, list[str]]]:
    """External id -> content, and the passages in their order."""
    async with runtime.database.begin() as session:
        found = (await session.scalars(select(Document).where(Document.source_id == source.id))).all()
        pieces = (await session.scalars(select(Passage).order_by(Passage.ordinal))).all()
    return {
        document.external_id: (document.content, [one.content for one in pieces if one.document_id == document.id])
        for document in found
    }


async def test_created_unchanged_updated(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    embedder = CountingEmbedder(runtime.embedder)
    runtime = replace(runtime, embedder=embedder)
    first = DocumentInput(external_id="a", content="One sentence.", title="T")
    statuses, ids = [], set()
    for given_document in (first, first, first.model_copy(update={"title": "U"})):
        (result,) = await ingest.ingest(runtime, corpus, source.id, [given_document])
        statuses.append(result.status)
        ids.add(result.document_id)
        assert result.passages == 1
    assert statuses == ["created", "unchanged", "updated"]
    assert len(ids) == 1
    assert len(embedder.texts) == 2
    assert await stored(runtime, source) == {"a": ("One sentence.", ["One sentence."])}


async def test_passages_stand_where_they_say_in_the_stored_text(
    runtime: Runtime, corpus: Corpus, source: Source
) -> None:
    content = "\n\n".join(f"# {n} שלום\n\nAbsatz {n}: 漢字, e\u0301 und 😀. " + "Wort " * 60 for n in range(40))
    for media_type in MediaType:
        (result,) = await ingest.ingest(
            runtime, corpus, source.id, [DocumentInput(content=content, media_type=media_type)]
        )
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
    results = await ingest.ingest(runtime, corpus, source.id, given_documents)
    async with runtime.database.begin() as session:
        for one, result in zip(given_documents, results, strict=True):
            document = await documents.get(session, corpus, source.id, result.document_id)
            assert document.content == one.content
            rows = (await session.scalars(select(Passage).where(Passage.document_id == document.id))).all()
            assert all(one.content[row.start_offset : row.end_offset] == row.content for row in rows)


async def test_a_batch_is_written_whole_or_not_at_all(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    batch = [
        DocumentInput(external_id="a", content="Fine."),
        DocumentInput(external_id="b", content="<p></p>", media_type=MediaType.HTML),
    ]
    with pytest.raises(InvalidInput, match="no text"):
        await ingest.ingest(runtime, corpus, source.id, batch)
    assert await stored(runtime, source) == {}


async def test_a_retired_source_takes_nothing_and_a_paused_one_does(
    runtime: Runtime, corpus: Corpus, source: Source
) -> None:
    for status in (SourceStatus.PAUSED, SourceStatus.RETIRED):
        async with runtime.database.begin() as session:
            await sources.update(session, corpus, source.id, SourcePatch(status=status))
        if status is SourceStatus.PAUSED:
            await ingest.ingest(runtime, corpus, source.id, [DocumentInput(content="Fine.")])
        else:
            with pytest.raises(Conflict, match="retired"):
                await ingest.ingest(runtime, corpus, source.id, [DocumentInput(content="Late.")])
    assert len(await stored(runtime, source)) == 1


async def test_the_embeddings_of_two_models_are_never_mixed(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    await ingest.ingest(runtime, corpus, source.id, [DocumentInput(content="Fine.")])
    with pytest.raises(Conflict, match="CREDENCE_EMBEDDER"):
        await ingest.ingest(
            replace(runtime, embedder=LongEmbedder(256)), corpus, source.id, [DocumentInput(content="Other.")]
        )
    async with runtime.database.begin() as session:
        assert (await session.scalars(select(EmbeddingSpace.embedder))).all() == [runtime.embedder.name]


async def test_lines_are_answered_as_if_they_came_one_by_one(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    await imported(runtime, corpus, source, {"external_id": "known", "content": "As it was."})
    results = await imported(
        runtime,
        corpus,
        source,
        {"external_id": "a", "content": "First."},
        {"external_id": "a", "content": "Second."},
        {"external_id": "a", "content": "Second."},
        {"external_id": "known", "content": "Otherwise."},
        {"external_id": "known", "content": "As it was."},
        {"external_id": "a", "content": "<p></p>", "media_type": "text/html"},
    )
    statuses = [result.status.value for result in results]
    assert statuses == ["created", "updated", "unchanged", "updated", "updated", "rejected"]
    assert len({result.id for result in results if result.external_id == "a" and result.id}) == 1
    found = await stored(runtime, source)
    assert found == {"a": ("Second.", ["Second."]), "known": ("As it was.", ["As it was."])}


BAD = {
    b'{"content": "cut in the mid': "JSON",
    b"[1, 2]": "object",
    b'{"content": 7}': "string",
    b'{"content": ""}': "at least 1",
    b'{"content": " \\n "}': "blank",
    b'{"title": "no content"}': "content",
    b'{"content": "a\\u0000b"}': "NUL",
    b'{"content": "a\\ud800b"}': "hex escape",
    b'{"content": "\xff\xfe"}': "",
    b'{"content": "a", "media_type": "application/pdf"}': "text/plain",
    b'{"content": "a", "published_at": "yesterday"}': "datetime",
    b'{"content": "a", "tilte": "b"}': "tilte",
    b'{"content": "a", "attributes": {"a": NaN}}': "",
    b"[" * 10_000: "JSON",
    b'{"content": "<p></p>", "media_type": "text/html"}': "no text",
    b'{"content": "' + b"x" * 4_000_001 + b'"}': "CREDENCE_MAX_DOCUMENT_CHARACTERS",
}


async def test_bad_lines_say_why_and_harm_no_other(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    mixed = [part for n, bad in enumerate(BAD) for part in (bad, {"external_id": f"good-{n}", "content": f"Fine {n}."})]
    results = sorted(await imported(runtime, corpus, source, b"\xef\xbb\xbf", *mixed), key=lambda one: one.line)
    assert [result.line for result in results] == list(range(2, len(mixed) + 2))
    assert [result.status.value for result in results] == ["rejected", "created"] * len(BAD)
    for result, why in zip(results[::2], BAD.values(), strict=True):
        assert result.error
        assert why in result.error
        assert len(result.error) < 1100
    assert len(await stored(runtime, source)) == len(BAD)


async def test_a_file_cut_in_the_middle_keeps_its_whole_lines(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    body = b"".join(json.dumps({"external_id": str(n), "content": f"No {n}."}).encode() + b"\n" for n in range(10))
    cut = body[: len(body) - 20]
    results = await imported(runtime, corpus, source, *cut.split(b"\n"))
    assert [result.status.value for result in sorted(results, key=lambda one: one.line)] == ["created"] * 9 + [
        "rejected"
    ]
    again = await imported(runtime, corpus, source, *body.split(b"\n"))
    assert [result.status.value for result in again] == ["unchanged"] * 9 + ["created"]


async def test_blank_lines_are_counted_and_skipped(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    results = await imported(runtime, corpus, source, b"", b"  \r", {"content": "a"}, b"\t")
    assert [(result.line, result.status.value) for result in results] == [(3, "created")]


async def test_long_imports_are_written_batch_by_batch(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    sent = 0

    async def many() -> AsyncIterator[bytes]:
        nonlocal sent
        for sent in range(600):
            yield json.dumps({"external_id": str(sent), "content": f"Document {sent}."}).encode()

    seen = 0
    async for result in ingest.import_documents(runtime, corpus, source.id, many()):
        if seen == 0:
            assert sent == 255
        seen += result.status == "created"
        if seen == 256:
            async with runtime.database.begin() as session:
                assert await session.scalar(select(func.count()).select_from(Document)) == 256
    assert seen == 600


async def test_texts_are_data_and_never_sql(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    evil = "'); DROP TABLE passages; -- %s :name {0} $1 \\ \\x00 '' \" \u2028 1=1"
    (result,) = await imported(
        runtime, corpus, source, {"external_id": evil, "content": evil, "title": evil, "attributes": {evil: evil}}
    )
    assert result.status == "created"
    assert await stored(runtime, source) == {evil: (evil, [evil])}


async def test_two_writers_of_the_same_documents_both_succeed(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    def batch(version: int, order: Sequence[int]) -> list[DocumentInput]:
        return [DocumentInput(external_id=str(n), content=f"Version {version} of {n}.") for n in order]

    for version in range(4):
        orders = (range(30), range(29, -1, -1), range(15, 30))
        writes = [
            ingest.ingest(runtime, corpus, source.id, batch(10 * version + n, order)) for n, order in enumerate(orders)
        ]
        await asyncio.gather(*writes)
    found = await stored(runtime, source)
    assert len(found) == 30
    assert all(passages == [content] for content, passages in found.values())


async def test_a_source_deleted_under_a_writer_leaves_nothing_behind(
    runtime: Runtime, corpus: Corpus, source: Source
) -> None:
    async def delete() -> None:
        await asyncio.sleep(0.01)
        async with runtime.database.begin() as session:
            await sources.delete(session, corpus, source.id)

    batch = [DocumentInput(content=f"No {n}. " + "word " * 500) for n in range(200)]
    outcome, _ = await asyncio.gather(
        ingest.ingest(runtime, corpus, source.id, batch), delete(), return_exceptions=True
    )
    assert isinstance(outcome, NotFound | list)
    async with runtime.database.begin() as session:
        assert await session.scalar(select(func.count()).select_from(Passage)) == 0


async def test_queries_are_imported_line_by_line(runtime: Runtime, corpus: Corpus) -> None:
    given_lines = (
        {"external_id": "q", "text": "Who?", "gold_answers": ["A"]},
        b'{"text": "cut',
        {"external_id": "q", "text": "What?"},
        {"external_id": "q", "text": "What?"},
        {"text": ""},
    )
    results = [result async for result in ingest.import_queries(runtime, corpus, lines(*given_lines))]
    statuses = {result.line: result.status.value for result in results}
    assert statuses == {1: "created", 2: "rejected", 3: "updated", 4: "unchanged", 5: "rejected"}
    async with runtime.database.begin() as session:
        assert [query.text for query in (await session.scalars(select(Query))).all()] == ["What?"]
