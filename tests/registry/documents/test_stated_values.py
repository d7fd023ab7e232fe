"""Stated values: stored, replaced and deleted with their documents, and the queries that are made of them."""

import asyncio
import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from sqlalchemy import select

from registry.corpora.model import Corpus
from registry.documents import store
from registry.documents.model import Document
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.documents.value_schemas import fields_of_row, parse_columns, require_columns, values_of_row
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


WIDE = {"subject": "country", "capital": "capital", "area": "area_km2"}
LONG = {"subject": "item", "relation": "property", "value": "answer"}


@for_each(
    ("text", "columns"),
    [
        ("subject=country, capital, area=area_km2", WIDE),
        ("subject=country,capital=capital,area=area_km2", WIDE),
        ("subject=item, relation=property, value=answer", LONG),
        ("source=worker, subject=task, label", {"source": "worker", "subject": "task", "label": "label"}),
        ('subject=country, "area=area, km2"', {"subject": "country", "area": "area, km2"}),
        ("subject, a=b=c", {"subject": "subject", "a": "b=c"}),
    ],
)
def test_columns_are_named_in_one_line(text: str, columns: dict[str, str]) -> None:
    assert parse_columns(text) == columns


@for_each(
    ("text", "why"),
    [
        ("", "subject=country"),
        (" , ", "subject=country"),
        ("capital=capital", "no column of the subject"),
        ("subject=country", "no column of a relation"),
        ("source=site, subject=country", "no column of a relation"),
        ("subject=item, relation=property", "relation and value each in a column"),
        ("subject=item, relation=property, value=answer, capital", "relation and value each in a column"),
        ("subject=country, capital=a, capital=b", "twice"),
        ("subject=country, capital=", "at least 1 character"),
        ("subject=country, =capital", "at least 1 character"),
        ("subject=country, capital=a\x00b", "NUL"),
        (f"subject=country, {'x' * 201}=a", "at most 200 characters"),
        ("subject=country,\ncapital", "no list of names"),
        ('subject=country, "capital', "no list of names"),
        ("subject=country, " + ", ".join(f"r{number}" for number in range(102)), "at most 102 items"),
    ],
)
def test_columns_that_state_nothing_are_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_columns(text)


@for_each(
    ("cell", "value"),
    [
        ("  Addis \n Ababa ", "Addis Ababa"),
        (2586, "2586"),
        (2586.0, "2586"),
        (0.1, "0.1"),
        (Decimal("1.50"), "1.50"),
        (True, "yes"),
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, 3, tzinfo=UTC), "2026-01-02T03:00:00+00:00"),
    ],
)
def test_cells_are_said_as_text(cell: object, value: str) -> None:
    assert [stated.value for stated in values_of_row({"item": "x", "property": "p", "answer": cell}, LONG)] == [value]


@for_each("cell", [None, "", " ", float("nan"), "unknown", "?"])
def test_a_cell_without_a_value_leaves_the_others(cell: object) -> None:
    row = {"country": "Kenya", "capital": cell, "area_km2": 580_367}
    assert [(value.relation, value.value) for value in values_of_row(row, WIDE)] == [("area", "580367")]


@for_each(
    ("row", "why"),
    [
        ({}, "no subject: the column 'country' is empty or missing"),
        ({"country": " ", "capital": "Nairobi"}, "no subject"),
        ({"country": "Kenya"}, "nothing is stated in the columns 'capital', 'area_km2'"),
        ({"country": "Kenya", "capital": ["Nairobi"]}, "column 'capital': holds a list"),
        ({"country": {"name": "Kenya"}, "capital": "Nairobi"}, "column 'country': holds a list"),
        ({"country": "Kenya", "capital": "a\x00b"}, "column 'capital': value: .*NUL"),
        ({"country": "Kenya", "capital": "x" * 2_001}, "column 'capital': value: .*2000"),
        ({"country": "x" * 281, "capital": "Nairobi"}, "column 'capital': subject: .*280"),
        ({"country": "Kenya", "capital": "Nairobi", "": ["more"]}, "more cells than"),
    ],
)
def test_rows_that_state_nothing_say_why(row: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        values_of_row(row, WIDE)


def test_a_row_says_its_values_in_words() -> None:
    row = {"country": "Kenya", "capital": "Nairobi", "area_km2": "580367"}
    fields = fields_of_row(row, WIDE)
    assert fields["content"] == "Kenya; capital: Nairobi\nKenya; area: 580367"
    assert (fields["title"], fields["external_id"]) == ("Kenya", "Kenya")
    long = fields_of_row({"item": "Kenya", "property": "capital", "answer": "Nairobi"}, LONG)
    assert (long["content"], long["external_id"]) == ("Kenya; capital: Nairobi", "Kenya; capital")


def test_a_table_must_have_the_columns() -> None:
    require_columns(["country", "capital", "area_km2", "more"], WIDE)
    with pytest.raises(ValueError, match="no column 'area_km2'; the columns are 'country', 'capital', 'area'"):
        require_columns(["country", "capital", "area"], WIDE)
