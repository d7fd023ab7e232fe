"""The topic of a question on the page of its answer: what it did to every source, and another one instead."""

import pytest
from sqlalchemy import select

from api.pages import wording
from registry.answers import jobs as queued_answers
from registry.answers.model import AnswerRecord
from registry.corpora.model import Corpus
from registry.runtime import Runtime
from registry.sources.reliabilities import current_reliabilities
from tests.api.pages.conftest import PAGES, Browser
from tests.registry.estimated import estimate_experts
from tests.registry.world import MOUNTAINS, SEA, question
from tests.remembered import Remember

ASK = f"{PAGES}/answers"


@pytest.fixture
async def experts(reading: Runtime, corpus: Corpus, remember: Remember) -> Runtime:
    await estimate_experts(reading, corpus, remember)
    return reading


async def answered(browser: Browser, runtime: Runtime) -> AnswerRecord:
    """Let a worker answer the newest question, and look at the page."""
    async with runtime.database.begin() as session:
        newest = (await session.scalars(select(AnswerRecord).order_by(AnswerRecord.id.desc()).limit(1))).one()
    await queued_answers.run(runtime, newest.id)
    await browser.get(f"{ASK}/{newest.id}")
    return newest


async def test_sources_show_both_reliabilities_and_another_topic_can_be_asked_on(
    browser: Browser, experts: Runtime, corpus: Corpus
) -> None:
    async with experts.database.begin() as session:
        known = (await current_reliabilities(session, corpus)).sources
    await browser.get(ASK)
    await browser.send(ASK, question=question("Harbourlight"), kappa="6")
    first = await answered(browser, experts)
    assert f"Topic: {SEA}, inferred from the question" in browser.text
    assert browser.text.count(" overall, ") == len(known)
    for source in known:
        assert f"{' '.join(wording.percent(source.reliability).split())} overall, " in browser.text
    change = f"{ASK}/{first.id}/topic"
    offered = browser.page.xpath("//select[@id='topic']/option/@value")
    assert set(offered) == {SEA, MOUNTAINS}

    await browser.send(change, topic=MOUNTAINS)
    second = await answered(browser, experts)
    assert second.question == first.question
    assert second.parameters == first.parameters | {"topic": MOUNTAINS}
    assert f"Topic: {MOUNTAINS}, as given." in browser.text
    assert "Answered pink" in browser.text

    await browser.send(f"{ASK}/{second.id}/topic", use_topic="false")
    third = await answered(browser, experts)
    assert third.parameters == first.parameters | {"use_topic": False}
    assert "No topic: sources count with their overall reliabilities." in browser.text
    assert "overall, " not in browser.text


async def test_the_table_shows_one_topic(browser: Browser, experts: Runtime, corpus: Corpus) -> None:
    async with experts.database.begin() as session:
        known = await current_reliabilities(session, corpus)
    assert known.run is not None
    for place, label in enumerate(topic["label"] for topic in known.run.topics):
        text = await browser.get(f"{PAGES}/sources?topic={place}")
        assert browser.page.xpath("string(//select[@id='topic']/option[@selected])") == label
        assert "the figures are of votes on this topic" in text
        expected = {
            source.name: (wording.percent(topic.reliability), str(topic.vote_count))
            for source in known.sources
            for topic in source.topics
            if topic.topic == place and topic.vote_count
        }
        assert len(expected) == len(known.sources)
        assert {
            row.xpath("string(th)").strip(): (
                row.xpath("string(td[@class='whole']//span/span)"),
                row.xpath("string(td[@data-label='Votes'])"),
            )
            for row in browser.page.xpath("//tbody/tr")
        } == expected
    assert "No source matches" in await browser.get(f"{PAGES}/sources?topic=99")


async def test_the_table_shows_who_is_better_on_one_topic(browser: Browser, experts: Runtime, corpus: Corpus) -> None:
    async with experts.database.begin() as session:
        known = (await current_reliabilities(session, corpus)).sources
    specialists = {
        source.name
        for source in known
        if max(topic.reliability for topic in source.topics) - min(topic.reliability for topic in source.topics) >= 0.1
    }
    text = await browser.get(f"{PAGES}/sources?show=specialists&sort=change&text=%25")
    assert "No source matches" in text
    await browser.get(f"{PAGES}/sources?show=specialists&sort=change")
    assert {str(cell.text_content()).strip() for cell in browser.page.xpath("//tbody/tr/th")} == specialists
    assert specialists
    await browser.get(f"{PAGES}/sources?topic=10000&page=99")
    await browser.get(f"{PAGES}/sources?topic=10001", 422)
