"""The page of imported votes."""

import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser
from tests.registry.votes.test_votes import sent

VOTES = f"{PAGES}/votes"


@pytest.fixture
async def voted(runtime: Runtime, corpus: Corpus) -> None:
    await sent(
        runtime,
        corpus,
        {"source": "oak", "query": "17 * 23", "answer": "391", "at": "2026-05-04"},
        {"source": "elm", "query": "17 * 23", "answer": "<b>381</b>"},
        {"source": "oak", "query": "2 + 2", "answer": "4"},
    )


async def test_without_votes_there_are_none(browser: Browser) -> None:
    assert "There are none." in await browser.get(VOTES)


@pytest.mark.usefixtures("voted")
async def test_votes_are_listed_and_chosen_by_source_and_query(browser: Browser) -> None:
    text = await browser.get(VOTES)
    assert all(shown in text for shown in ("oak", "elm", "17 * 23", "391", "<b>381</b>", "2 + 2", "2026-05-04"))
    text = await browser.get(f"{VOTES}?source=elm&query=")
    assert "<b>381</b>" in text
    assert "391" not in text
    text = await browser.get(f"{VOTES}?query=2 %2B 2&source=")
    assert "391" not in text
    first = await browser.get(f"{VOTES}?limit=2&source=&query=")
    assert "Later votes" in first
    assert "2 + 2" not in first
    sources = await browser.get(f"{PAGES}/sources")
    assert "Imported votes" in sources
