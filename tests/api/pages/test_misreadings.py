"""The page of readings that look misread."""

from dataclasses import replace

import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser
from tests.api.pages.test_sources import estimate
from tests.registry.misread_world import CarelessReader, build_misread, read_colour

MISREADINGS = f"{PAGES}/misreadings"


@pytest.fixture
async def reading(runtime: Runtime) -> Runtime:
    return replace(runtime, reader=CarelessReader(read_colour))


@pytest.fixture
async def estimated(reading: Runtime, corpus: Corpus) -> Runtime:
    await build_misread(reading, corpus)
    await estimate(reading, corpus)
    return reading


async def test_before_any_run_there_are_none(browser: Browser) -> None:
    assert "Nothing has been estimated yet" in await browser.get(MISREADINGS)


@pytest.mark.usefixtures("estimated")
async def test_readings_are_judged_without_scripts_and_counted_beside_their_sources(browser: Browser) -> None:
    text = await browser.get(MISREADINGS)
    assert "6 readings look misread and wait for a verdict" in text
    assert "Herald was read as saying painted" in text
    action = next(form.action for form in browser.page.forms if "/misreadings/" in form.action)
    text = await browser.send(action, verdict="confirmed")
    assert "5 readings look misread" in text
    text = await browser.get(f"{MISREADINGS}?all=true")
    assert text.count("Confirmed by") == 1
    assert action in [form.action for form in browser.page.forms]
    text = await browser.send(action)
    assert "Confirmed by" not in text
    assert "6 readings look misread" in text
    await browser.get(f"{MISREADINGS}?limit=1")
    # Every verdict has one key.
    assert browser.page.xpath("//article//button/@data-key") == ["c", "r"]
    assert [link for link in browser.links() if "cursor=" in link]

    assert "misread: 6 of 16" in await browser.get(f"{PAGES}/sources")
    link = next(
        str(link.get("href")) for link in browser.page.xpath("//tbody//th/a") if "Herald" in link.text_content()
    )
    text = await browser.get(link)
    assert "Of its statements about" in text
    assert "6 of its 16 readings look misread: these are errors of the reader, not its own." in text
