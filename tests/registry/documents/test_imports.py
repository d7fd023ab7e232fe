"""NDJSON imports: the result of every line, and what is stored."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from answering.embedders import Embedder
from answering.embedders.embedder import Vectors
from registry.corpora.model import Corpus
from registry.documents import imports
from registry.documents.model import Document, Passage
from registry.documents.schemas import LineResult
from registry.platform.enums import SourceStatus
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Rating, Source
from registry.sources.schemas import SourcePatch
from tests.fixtures import Recording
from tests.registry.documents.documents import imported, lines, stored
from tests.tables import for_each


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
    stored_documents = await stored(runtime, source)
    assert stored_documents == {"a": ("Second.", ["Second."]), "known": ("As it was.", ["As it was."])}


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
    b'{"content": "' + b"x" * 4_000_001 + b'"}': "longer than 4000000 characters",
}


async def test_bad_lines_say_why_and_harm_no_other(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    mixed = [part for n, bad in enumerate(BAD) for part in (bad, {"external_id": f"good-{n}", "content": f"Fine {n}."})]
    results = sorted(await imported(runtime, corpus, source, b"\xef\xbb\xbf", *mixed), key=lambda result: result.line)
    assert [result.line for result in results] == list(range(2, len(mixed) + 2))
    assert [result.status.value for result in results] == ["rejected", "created"] * len(BAD)
    for result, why in zip(results[::2], BAD.values(), strict=True):
        assert result.error
        assert why in result.error
        assert len(result.error) < 1100
    assert len(await stored(runtime, source)) == len(BAD)


async def test_ratings_are_imported_with_a_statement_a_line(
    runtime: Runtime, corpus: Corpus, source: Source, count_statements: Recording
) -> None:
    rating = {"external_id": source.external_id, "origin": "Media list"}
    rated = [rating | {"rating": share / 50} for share in range(50)]
    unknown = rating | {"external_id": "nobody", "rating": 0.5}
    with count_statements() as statements:
        results = [
            result async for result in imports.import_ratings(runtime, corpus, lines(*rated, unknown), created_by="ops")
        ]
    assert [result.status.value for result in results] == ["created", *["updated"] * 49, "rejected"]
    assert len(statements) <= 55
    async with runtime.database.begin() as session:
        stored_rating = await session.get_one(Rating, source.id)
    assert (stored_rating.rating, stored_rating.created_by) == (0.98, "ops")


async def test_a_page_on_which_the_extractor_fails_harms_no_other(
    runtime: Runtime, corpus: Corpus, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text is then all that is visible; where that fails too, the line is rejected."""

    def fail(content: str, **_options: object) -> str:
        raise RecursionError(content[:10])

    monkeypatch.setattr("trafilatura.extract", fail)
    page = {"content": "<p>The tower is red.</p>", "media_type": "text/html"}
    assert [result.status.value for result in await imported(runtime, corpus, source, page)] == ["created"]
    monkeypatch.setattr("registry.documents.extraction._all_text", fail)
    results = await imported(runtime, corpus, source, page, {"external_id": "b", "content": "Fine."})
    by_status = {result.status.value: result for result in results}
    assert set(by_status) == {"created", "rejected"}
    assert "send it as plain text" in (by_status["rejected"].error or "")


@for_each("address", ["javascript:alert(1)", "file:///etc/passwd", "JAVAscript:x", "//host/x", "ftp://host"])
async def test_links_that_are_no_web_addresses_are_refused(
    runtime: Runtime, corpus: Corpus, source: Source, address: str
) -> None:
    (result,) = await imported(runtime, corpus, source, {"content": "Fine.", "url": address})
    assert "http://" in (result.error or "")


class MeetingEmbedder:
    """Embeds two parts at once, or none."""

    def __init__(self, inner: Embedder) -> None:
        self._inner, self._both = inner, asyncio.Barrier(2)
        self.name, self.dimension = inner.name, inner.dimension
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str], *, passages: bool = False) -> Vectors:
        async with asyncio.timeout(60):
            await self._both.wait()
        self.texts += texts
        return await self._inner.embed(texts, passages=passages)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def test_a_batch_is_written_in_parts_at_once_with_the_versions_of_a_document_in_one(
    runtime: Runtime, corpus: Corpus, source: Source
) -> None:
    embedder = MeetingEmbedder(runtime.embedder)
    versions = [{"external_id": "a", "content": text} for text in ("One.", "Two.", "One.", "Three.")]
    results = await imported(
        replace(runtime, embedder=embedder), corpus, source, *versions, {"external_id": "b", "content": "Else."}
    )
    statuses = {result.line: result.status.value for result in results}
    assert statuses == {1: "created", 2: "updated", 3: "updated", 4: "updated", 5: "created"}
    assert sorted(embedder.texts) == ["Else.", "One.", "One.", "Three.", "Two."]
    assert await stored(runtime, source) == {"a": ("Three.", ["Three."]), "b": ("Else.", ["Else."])}


async def import_all(runtime: Runtime, corpus: Corpus, *values: object) -> list[LineResult]:
    results = imports.import_documents_of_sources(runtime, corpus, lines(*values))
    return sorted([result async for result in results], key=lambda result: result.line)


async def test_every_line_goes_to_its_source(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    """Sources are named by external id, id or name; a new one is made once; external ids are those of each source."""
    values = [
        {"source": reference, "external_id": external_id, "content": f"{reference} on {external_id}."}
        for reference in ("herald", "Gazette")
        for external_id in ("a", "b")
    ]
    by_id = {"source": str(source.id), "external_id": "c", "content": "By id."}
    by_name = {"source": "Herald", "external_id": "d", "content": "By name."}
    for expected in ("created", "unchanged"):
        results = await import_all(runtime, corpus, *values, by_id, by_name)
        assert [result.status.value for result in results] == [expected] * 6
    assert set(await stored(runtime, source)) == {"a", "b", "c", "d"}
    async with runtime.database.begin() as session:
        gazette = await sources.find(session, corpus, "Gazette")
        assert await session.scalar(select(func.count()).select_from(Source)) == 2
        passage_sources = (await session.scalars(select(Passage.source_id))).all()
    assert sorted(passage_sources).count(gazette.id) == 2
    assert await stored(runtime, gazette) == {
        external_id: (f"Gazette on {external_id}.", [f"Gazette on {external_id}."]) for external_id in ("a", "b")
    }


async def test_a_line_without_a_usable_source_harms_no_other(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    async with runtime.database.begin() as session:
        await sources.update(session, corpus, source.id, SourcePatch(status=SourceStatus.RETIRED))
    results = await import_all(
        runtime,
        corpus,
        {"content": "Of nobody."},
        {"source": "", "content": "Of nobody."},
        {"source": "herald", "external_id": "a", "content": "Too late."},
        {"source": "0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c", "content": "Of nobody."},
        {"source": "Gazette", "external_id": "a", "content": "Fine."},
    )
    assert [result.status.value for result in results] == ["rejected"] * 4 + ["created"]
    for result, reason in zip(results, ("source: Field required", "source", "retired", "no source"), strict=False):
        assert reason in (result.error or "")


async def test_many_sources_take_no_more_statements_than_one(
    runtime: Runtime, corpus: Corpus, count_statements: Recording
) -> None:
    async def documents() -> AsyncIterator[bytes]:
        for number in range(512):
            values = {"source": f"site-{number % 400}", "external_id": str(number), "content": f"Document {number}."}
            yield json.dumps(values).encode()

    with count_statements() as statements:
        results = imports.import_documents_of_sources(runtime, corpus, documents())
        assert {result.status.value async for result in results} == {"created"}
    assert len(statements) <= 40
    async with runtime.database.begin() as session:
        assert await session.scalar(select(func.count()).select_from(Document)) == 512
        assert await session.scalar(select(func.count()).select_from(Source)) == 400
