"""Copy groups: their evidence, how often each two members agree, and where they are linked from."""

import pytest
from sqlalchemy import select

from registry.models import Corpus, EstimationRun, RunSource
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser
from tests.api.pages.test_sources import HOSTILE, estimate
from tests.registry.world import TOWERS, build, honest, liar

COPIES = f"{PAGES}/copies"
EVIDENCE = {"log_odds": 4.0, "agreement": 1.0, "explained": 0.4, "shared_wrong": 2.0, "expected": 0.5}


@pytest.fixture
async def run(reading: Runtime, corpus: Corpus) -> EstimationRun:
    stated = {
        "herald": honest(),
        "gazette": honest(),
        "rumour": liar("Aldra", "Brin"),
        "gossip": liar("Aldra", "Brin", "Corvo"),
    }
    await build(reading, corpus, stated, TOWERS)
    return await estimate(reading, corpus)


async def join(runtime: Runtime, run: EstimationRun, names: dict[str, str]) -> list[str]:
    """Make these sources a copy group of the run, shown under other names; returns their identifiers."""
    async with runtime.database.begin() as session:
        rows = select(RunSource).where(RunSource.estimation_id == run.id, RunSource.source_name.in_(names))
        members = (await session.scalars(rows.order_by(RunSource.source_id))).all()
        for member in members:
            member.voice = 0
        ids = [str(member.source_id) for member in members]
        shown = [names[member.source_name] for member in members]
        group = {"source_ids": ids, "source_names": shown, "original_id": ids[0], "copied_share": 0.8}
        (await session.get_one(EstimationRun, run.id)).voices = [EVIDENCE | group]
    return ids


async def test_without_copies_the_page_says_so(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    assert "Nothing has been estimated yet" in await browser.get(COPIES)
    await build(reading, corpus, {"herald": honest(), "gazette": honest()}, TOWERS[:1])
    await estimate(reading, corpus)
    assert "no sources copy each other" in await browser.get(COPIES)


async def test_groups_show_their_evidence_and_agreement(browser: Browser, reading: Runtime, run: EstimationRun) -> None:
    ids = await join(reading, run, {"Rumour": "Rumour", "Gossip": "Gossip", "Herald": "Herald"})
    text = await browser.get(COPIES)
    assert "1 group of sources" in text
    assert "Two of them agree on 100 % of the disputed queries" in text
    assert "the others take from Herald" in text
    pairs = [" ".join(item.text_content().split()) for item in browser.page.xpath("//details//li")]
    # Three towers are disputed.
    assert pairs == [
        "Herald and Rumour: alike on 1 of 3",
        "Herald and Gossip: alike on 0 of 3",
        "Rumour and Gossip: alike on 2 of 3",
    ]
    cells = browser.page.xpath("//*[local-name()='svg']/*[local-name()='g']/*[local-name()='text']/text()")
    assert sorted(cells) == sorted(2 * ["33\N{NO-BREAK SPACE}%", "0\N{NO-BREAK SPACE}%", "67\N{NO-BREAK SPACE}%"])
    for path in (f"{PAGES}/sources", f"{PAGES}/sources/{ids[1]}"):
        await browser.get(path)
        assert f"{COPIES}?group=1#group-1" in browser.links()
    assert "Group 1: 3 sources" in await browser.get(f"{COPIES}?group=1")
    assert "Group 1" in await browser.get(f"{COPIES}?group=99")


async def test_hostile_names_are_text(browser: Browser, reading: Runtime, run: EstimationRun) -> None:
    await join(reading, run, dict(zip(("Herald", "Gazette", "Rumour", "Gossip"), HOSTILE, strict=False)))
    await browser.get(COPIES)
    assert not browser.page.xpath("//script | //img | //@onerror | //@onmouseover | //@style")
    assert "\u202e" not in browser.text
