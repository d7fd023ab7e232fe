"""Stated values: stored, replaced and deleted with their documents, and the queries that are made of them."""

import asyncio
import json

from sqlalchemy import select

from registry.corpora.model import Corpus
from registry.documents import store
from registry.documents.model import Document
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.passages.store.writer import subject_key
from registry.queries import store as queries
from registry.queries.model import Query
from registry.queries.schemas import QueryInput, QueryPatch
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from tests.registry.stating import CHAD, KENYA, ROWS, asked, documents, sent, stated
from tests.tables import for_each

VALUE = {"subject": "Kenya", "relation": "capital", "value": "Nairobi"}


async def test_rows_are_documents_and_values_and_queries(runtime: Runtime, corpus: Corpus) -> None:
    results = await sent(runtime, corpus, *ROWS)
    assert [result.status for result in results] == ["created"] * 6
    assert ("Kenya", "area", "580,367") in await stated(runtime)
    # Of Togo, and of areas, only one source states anything.
    assert await asked(runtime) == {"stated:capital:kenya": KENYA, "stated:capital:chad": CHAD}
    async with runtime.database.begin() as session:
        contents = set(await session.scalars(select(Document.content)))
    assert "Kenya; capital: Nairobi\nKenya; area: 580,367" in contents
    again = await sent(runtime, corpus, *ROWS)
    assert [result.status for result in again] == ["unchanged"] * 6
    assert len(await asked(runtime)) == 2


async def test_a_row_sent_again_replaces_what_it_stated(runtime: Runtime, corpus: Corpus) -> None:
    await sent(runtime, corpus, *ROWS)
    changed = {"source": "gazetteer", "country": "Togo", "capital": "Kara", "section": "west"}
    assert [result.status for result in await sent(runtime, corpus, changed)] == ["updated"]
    values = await stated(runtime)
    assert ("Togo", "capital", "Kara") in values
    assert ("Togo", "capital", "Lomé") not in values
    async with runtime.database.begin() as session:
        togo = await session.scalar(select(Document).where(Document.external_id == "Togo"))
        assert togo is not None
        assert togo.attributes == {"section": "west"}


async def test_values_go_with_their_document_and_source(runtime: Runtime, corpus: Corpus) -> None:
    results = await sent(runtime, corpus, *ROWS)
    async with runtime.database.begin() as session:
        source = await sources.find(session, corpus, "gazetteer")
        assert results[4].id is not None
        await store.delete(session, corpus, source.id, results[4].id)
    assert ("Kenya", "capital", "Mombasa") not in await stated(runtime)
    async with runtime.database.begin() as session:
        await sources.delete(session, corpus, (await sources.find(session, corpus, "atlas")).id)
    assert {value for _, _, value in await stated(runtime)} == {"nairobi", "Abéché", "Lomé"}


async def test_documents_may_state_values_beside_their_text(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    document = DocumentInput(content="Nairobi, Kenya's capital.", external_id="a", stated_values=[VALUE])
    (created,) = await ingest(runtime, corpus, source.id, [document])
    assert await stated(runtime) == {("Kenya", "capital", "Nairobi")}
    other = document.model_copy(update={"stated_values": []})
    (changed,) = await ingest(runtime, corpus, source.id, [other])
    assert (created.status, changed.status, await stated(runtime)) == ("created", "updated", set())


async def test_a_document_without_values_keeps_its_hash(runtime: Runtime, corpus: Corpus) -> None:
    """Otherwise all documents of before would be written again."""
    line = {"source": "atlas", "external_id": "a", "content": "No values."}
    await documents(runtime, corpus, line)
    async with runtime.database.begin() as session:
        stored = (await session.scalars(select(Document.content_hash))).one()
    assert stored.hex() == "2dbf1e38c0751f3b0a84f5929b2b4d9fdbc7ca03d20901e6bb1b6b7edeeb87b6"


async def test_bad_rows_lose_nothing_beside_them(runtime: Runtime, corpus: Corpus) -> None:
    bad = {
        b'{"source": "atlas", "country": "Mali", "capital": ': "JSON",
        b'"Mali"': "object",
        json.dumps({"country": "Mali", "capital": "Bamako"}).encode(): "source: Field required",
        json.dumps({"source": "atlas", "capital": "Bamako"}).encode(): "no subject",
        json.dumps({"source": "atlas", "country": "Mali"}).encode(): "no value",
        json.dumps({"source": "atlas", "country": "Mali", "capital": "a\x00b"}).encode(): "NUL",
        json.dumps({"source": "atlas", "country": "Mali", "capital": "x" * 100_000}).encode(): "at most 2000",
        json.dumps({"source": "atlas", "country": "M" * 100_000, "capital": "Bamako"}).encode(): "at most 280",
        json.dumps({"source": "atlas", "country": "Mali", "capital": ["Bamako"]}).encode(): "holds a list",
        json.dumps({"source": "atlas", "country": "Mali", "capital": "Bamako", "a": "\x00"}).encode(): "NUL",
        json.dumps({"source": "atlas", "country": "Mali", "capital": "Bamako", "attributes": 7}).encode(): "object",
    }
    results = await sent(runtime, corpus, ROWS[0], *bad, ROWS[2])
    assert [result.line for result in results if result.status == "created"] == [1, len(bad) + 2]
    errors = {result.line: result.error or "" for result in results if result.status == "rejected"}
    for number, why in enumerate(bad.values(), 2):
        assert why in errors[number]
    assert await asked(runtime) == {"stated:capital:kenya": KENYA}


@for_each(
    ("values", "why"),
    [
        ([VALUE | {"value": ""}], "stated_values.0.value"),
        ([VALUE, VALUE | {"subject": "a\nb"}], "stated_values.1.subject"),
        ([VALUE | {"relation": "r" * 201}], "stated_values.0.relation"),
        ([VALUE | {"value": 7}], "stated_values.0.value"),
        ([VALUE | {"claim": "x"}], "stated_values.0.claim"),
        ([VALUE] * 101, "at most 100 items"),
        ("Nairobi", "stated_values"),
    ],
)
async def test_values_that_cannot_be_stored_are_refused(
    runtime: Runtime, corpus: Corpus, values: object, why: str
) -> None:
    line = {"source": "atlas", "external_id": "a", "content": "Text.", "stated_values": values}
    (result,) = await documents(runtime, corpus, line)
    assert result.status == "rejected"
    assert why in (result.error or "")


async def test_long_names_find_each_other(runtime: Runtime, corpus: Corpus) -> None:
    """The key of a subject in a script of four bytes a character must fit into an index."""
    subject, relation = "𒀀" * 280, "𒀁" * 200
    value = {"subject": subject, "relation": relation, "value": "x" * 2_000}
    rows = [{"source": name, "content": "Text.", "stated_values": [value]} for name in ("atlas", "almanac")]
    assert [result.status for result in await documents(runtime, corpus, *rows)] == ["created"] * 2
    assert len(await asked(runtime)) == 1
    assert len(subject_key(subject)) == 200
    assert subject_key(subject) != subject_key(subject[:-1])


async def test_imports_at_once_miss_no_query(runtime: Runtime, corpus: Corpus) -> None:
    names = [f"source {number}" for number in range(6)]
    rows = [{"source": name, "country": "Kenya", "capital": "Nairobi"} for name in names]
    await asyncio.gather(*(sent(runtime, corpus, row) for row in rows))
    assert await asked(runtime) == {"stated:capital:kenya": KENYA}


async def test_a_query_stays_as_it_was_changed(runtime: Runtime, corpus: Corpus) -> None:
    await sent(runtime, corpus, *ROWS)
    async with runtime.database.begin() as session:
        query = (await session.scalars(select(Query).where(Query.text == KENYA))).one()
        patch = QueryPatch(text="Which city is Kenya's capital?", active=False)
        await queries.update(session, corpus, query.id, patch)
    await sent(runtime, corpus, {"source": "globe", "country": "Kenya", "capital": "Nairobi"})
    assert (await asked(runtime))["stated:capital:kenya"] == "Which city is Kenya's capital?"


async def test_a_query_may_be_there_before_its_values(runtime: Runtime, corpus: Corpus) -> None:
    mine = QueryInput(external_id="stated:capital:kenya", text="Kenya's capital?", gold_answers=["Nairobi"])
    async with runtime.database.begin() as session:
        await queries.create(session, corpus, mine)
    await sent(runtime, corpus, *ROWS)
    async with runtime.database.begin() as session:
        query = (await session.scalars(select(Query).where(Query.external_id == mine.external_id))).one()
    assert (query.text, query.gold_answers, query.relation) == (mine.text, ["Nairobi"], "capital")
