"""The page of queries that were written from documents."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from registry.answers import service as answers
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.queries.model import Query
from registry.query_generations import service as query_generation
from registry.query_generations.model import QueryGeneration
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser
from tests.registry.mills import built, mill_reader, publish_mills

SUGGESTIONS = f"{PAGES}/suggestions"


@pytest.fixture
async def reading(runtime: Runtime, corpus: Corpus) -> Runtime:
    runtime = replace(runtime, reader=mill_reader())
    await publish_mills(runtime, corpus, "Aldra", "Brin", "Corvo", "Delm")
    return runtime


async def test_suggestions_are_ticked_worded_otherwise_and_thrown_out(
    browser: Browser, reading: Runtime, corpus: Corpus
) -> None:
    assert "There are none yet" in await browser.get(SUGGESTIONS)
    assert "has found so far 0 queries" in await browser.send(SUGGESTIONS, queries="8")
    async with reading.database.begin() as session:
        (generation,) = (await session.scalars(select(QueryGeneration))).all()
    assert await query_generation.run(reading, generation.id)
    text = await browser.get(SUGGESTIONS)
    # Half of them at most are answered alike by all.
    assert "found 4 queries in 12 documents" in text
    assert built("Aldra") in text
    ids = [str(value) for value in browser.page.xpath("//input[@name='query']/@value")]
    assert len(ids) == 4
    chosen = f"{SUGGESTIONS}/chosen"
    await browser.send(chosen, query=ids[0], choice="use")
    await browser.send(chosen, query=ids[1], choice="throw out")
    text = await browser.send(f"{SUGGESTIONS}/{ids[2]}", text="When was it built?")
    assert "When was it built?" in text
    async with reading.database.begin() as session:
        states = {str(query.id): query.active for query in await session.scalars(select(Query))}
    assert states == {ids[0]: True, ids[2]: True, ids[3]: False}
    await answers.ask(reading, corpus, "In which year was Delm Mill built, and where?", AnswerParameters())
    asked = await browser.get(f"{SUGGESTIONS}?shown=asked")
    assert browser.page.xpath("string(//*[@aria-current='true' and contains(@href, 'shown')])") == "asked by people"
    assert "When was it built?" not in asked
    everything = await browser.get(f"{SUGGESTIONS}?shown=all")
    assert "When was it built?" in everything
    assert "In which year was Delm Mill built" in everything
    await browser.send(f"{SUGGESTIONS}/{ids[2]}", text="When was this one built?")
    assert str(browser.page.xpath("string(//*[@aria-current='true' and contains(@href, 'shown')])")) == "all"
    assert "When was this one built?" in browser.text
