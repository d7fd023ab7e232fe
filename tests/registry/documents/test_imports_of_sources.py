"""NDJSON imports whose lines name their sources."""

import json
from collections.abc import AsyncIterator

from sqlalchemy import func, select

from registry.corpora.model import Corpus
from registry.documents import imports
from registry.documents.model import Document, Passage
from registry.documents.schemas import LineResult
from registry.platform.enums import SourceStatus
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourcePatch
from tests.fixtures import Recording
from tests.registry.documents.documents import lines, stored


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
