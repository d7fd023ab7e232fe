"""The queue of queries to label: one after the other, chosen, skipped and undone."""

from urllib.parse import parse_qs, urlsplit

import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser
from tests.api.pages.test_sources import estimate
from tests.registry.world import TOWERS, build, honest, liar, question

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
