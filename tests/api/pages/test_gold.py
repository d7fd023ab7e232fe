"""Right answers on the page of a query: added, replaced, undone, and used by the runs that pages start."""

from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select

from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations.model import EstimationRun
from registry.queries.model import GoldEntry
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser
from tests.api.pages.test_sources import estimate
from tests.registry.world import TOWERS, build, honest, liar, question

RUNS, QUALITY = f"{PAGES}/estimations", f"{PAGES}/quality"


@pytest.fixture
async def here(browser: Browser, reading: Runtime, corpus: Corpus) -> str:
    """The page of a query that two sources answer one way, and one another way."""
    await build(reading, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra")}, TOWERS)
    await estimate(reading, corpus)
    await browser.get(f"{PAGES}/disputes")
    link = next(link for link in browser.links() if "/queries/" in link)
    await browser.get(link)
    return link


async def test_a_right_answer_is_added_and_undone(browser: Browser, reading: Runtime, here: str) -> None:
    assert "Last change" not in browser.text
    assert "Makes 1 vote right and 2 wrong." in browser.text
    assert "Makes 2 votes right and 1 wrong." in browser.text
    text = await browser.send(f"{here}/gold", answer="purple")
    assert "Last change, by anonymous in the pages" in text
    assert "before none, now purple." in text
    assert "1 is for it and 2 against; before 0 and 0." in text
    assert "Makes 3 votes right and 0 wrong." in text
    assert "Gain a right vote: Rumour" in text
    assert "Gain a wrong vote: Herald, Gazette" in text or "Gain a wrong vote: Gazette, Herald" in text
    text = await browser.send(f"{here}/gold", answer="red")
    assert "before purple, now purple, red." in text
    assert "3 are for it and 0 against; before 1 and 2." in text
    assert not [form for form in browser.page.forms if form.action == f"{here}/gold" and "answer" in form.fields]
    (undo,) = (form.action for form in browser.page.forms if form.action.endswith("/undo"))
    text = await browser.send(undo)
    assert "Set as right: purple." in text
    assert "purple → purple, red undone" in text
    assert "This is right, too" in text
    text = await browser.send(f"{here}/gold", answer="red", replace="true")
    assert "before purple, now red." in text
    async with reading.database.begin() as session:
        rows = (await session.scalars(select(GoldEntry).order_by(GoldEntry.id))).all()
    assert [(row.actor, row.undone_at is None) for row in rows] == [
        ("browser", True),
        ("browser", False),
        ("browser", True),
    ]


async def test_runs_of_pages_use_right_answers_until_the_corpus_says_otherwise(
    browser: Browser, reading: Runtime, here: str
) -> None:
    await browser.send(f"{here}/gold", answer="purple")
    await browser.get(RUNS)
    assert (await newest_run(browser, reading)).gold_queries == 1
    assert "the current run was fitted on all of them" in await browser.get(QUALITY)
    assert "fitted on the one query" in await browser.send(QUALITY, 422)
    assert (await newest_run(browser, reading)).gold_queries == 0
    assert "which the current run did not use" in await browser.get(QUALITY)
    assert "1 queries with right answers tell little" in await browser.send(QUALITY)
    assert "Runs of this corpus do not use right answers" in await browser.send(f"{QUALITY}/use-gold")
    assert "do not use right answers" in await browser.get(here)
    await browser.get(RUNS)
    assert (await newest_run(browser, reading)).gold_queries == 0
    await browser.get(QUALITY)
    assert "Runs of this corpus use right answers" in await browser.send(f"{QUALITY}/use-gold")


async def newest_run(browser: Browser, reading: Runtime) -> EstimationRun:
    """Of the form on the page, which is sent."""
    await browser.send(RUNS)
    async with reading.database.begin() as session:
        run_id = (await session.scalars(select(EstimationRun.id).order_by(EstimationRun.id.desc()))).first()
    assert run_id is not None
    await estimation.run(reading, run_id)
    async with reading.database.begin() as session:
        return await session.get_one(EstimationRun, run_id)


LABELS = f"{PAGES}/labels"


@pytest.fixture
async def world(reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {"one": honest(), "two": honest(), "three": liar("Aldra", "Brin")}, TOWERS)
    await estimate(reading, corpus)


async def test_before_any_run_there_are_none(browser: Browser) -> None:
    assert "Nothing has been estimated yet" in await browser.get(LABELS)


@pytest.mark.usefixtures("world")
async def test_queries_are_labelled_skipped_and_undone(browser: Browser) -> None:
    text = await browser.get(LABELS)
    assert "2 disputed queries have no right answer" in text
    assert browser.page.xpath("//article//button/@data-key") == ["1", "2", "s"]
    first = browser.page.xpath("string(//article/h2)")
    skipped = dict(next(form for form in browser.page.forms if form.method == "GET").form_values())
    choose = next(form.action for form in browser.page.forms if "/labels/" in form.action)
    text = await browser.send(choose)
    assert "1 disputed query has no right answer" in text
    assert f"Before: {first} red" in text
    second = browser.page.xpath("string(//article/h2)")
    assert {first, second} == {question("Aldra"), question("Brin")}
    undo = next(form.action for form in browser.page.forms if "/undo/" in form.action)
    text = await browser.send(undo)
    assert "2 disputed queries have no right answer" in text
    assert browser.page.xpath("string(//article/h2)") == first
    await browser.get(f"{LABELS}?cursor={skipped['cursor']}")
    assert browser.page.xpath("string(//article/h2)") == second
    other = browser.page.xpath("//input[@name='answer' and @required]/ancestor::form/@action")[0]
    sent = browser.values(other) | {"answer": "mauve", "cursor": "a&last=b"}
    led_to = await browser.client.post(other, data=sent)
    assert parse_qs(urlsplit(led_to.headers["location"]).query)["back"] == ["a&last=b"]
    assert "1 disputed query has no right answer" in await browser.get(LABELS)
