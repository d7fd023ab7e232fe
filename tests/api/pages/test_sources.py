"""The league table: its figures, order and filters, hostile names, and many sources."""

import pytest

from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.platform.enums import SourceStatus
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import OverrideInput, SourceInput, SourcePatch
from tests.api.pages.conftest import PAGES, Browser
from tests.registry.estimated import finished
from tests.registry.world import TOWERS, build, honest, liar

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{1009*1013}} {% raw %} ${1009*1013}",
    "\u202egnp.exe\u202c \u2066x",
    "N" * 200,
    "👩\u200d🚀🏴 ﷽ \u0301\u0301\u0301",
    "' onmouseover='alert(1)",
)


@pytest.fixture
async def world(reading: Runtime, corpus: Corpus) -> dict[str, Source]:
    """Two honest sources, one that errs on most towers, and one without documents; estimated."""
    stated = {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra", "Brin", "Corvo", "Delm"), "mute": {}}
    built = await build(reading, corpus, stated, TOWERS)
    await estimate(reading, corpus)
    return built


async def estimate(runtime: Runtime, corpus: Corpus) -> EstimationRun:
    return await finished(runtime, corpus)


def names(browser: Browser) -> list[str]:
    """The sources of the table in its order."""
    return [str(cell.text_content()).strip() for cell in browser.page.xpath("//tbody/tr/th")]


async def test_an_empty_corpus_says_so(browser: Browser) -> None:
    text = await browser.get(f"{PAGES}/sources")
    assert "Nothing has been estimated yet" in text
    assert "no sources yet" in text


async def test_figures_are_those_of_the_http_interface(browser: Browser, world: dict[str, Source]) -> None:
    await browser.get(f"{PAGES}/sources")
    assert names(browser)[-2:] == ["Rumour", "Mute"]
    listed = (await browser.client.get("/v1/corpora/default/sources")).json()["items"]
    figures = {source["name"]: source["reliability"] for source in listed}
    for row in browser.page.xpath("//tbody/tr"):
        text = " ".join(row.text_content().split())
        name = row.xpath("string(th)").strip()
        reliability = figures[name]
        if name == "Mute":
            assert text == f"Mute - - 0 0 % - - - {world['mute'].created_at.date()}"
        else:
            assert f"{100 * reliability['estimated']:.0f} %" in text
            assert f"{100 * reliability['lower']:.0f} %" in text
            assert "100 %" in text
            assert f"{100 * reliability['agreement_count'] / 6:.0f} %" in text
            # Four towers of six are disputed, and all three sources voted on all.
            assert reliability["conflict_count"] == 4
            assert "67 %" in text
    assert world["herald"].name in names(browser)


async def test_sorted_and_filtered_on_the_server(
    browser: Browser, reading: Runtime, corpus: Corpus, world: dict[str, Source]
) -> None:
    await browser.get(f"{PAGES}/sources?sort=name&descending=false")
    assert names(browser) == ["Gazette", "Herald", "Mute", "Rumour"]
    await browser.get(f"{PAGES}/sources?sort=reliability&descending=false")
    assert names(browser)[0] == "Rumour"
    assert names(browser)[-1] == "Mute"
    await build(reading, corpus, {"late": honest()})
    await browser.get(f"{PAGES}/sources?sort=since")
    assert names(browser)[0] == "Late"
    marks = [row.xpath("string(.//*[contains(@class, 'warn')])") for row in browser.page.xpath("//tbody/tr")]
    assert marks == ["new", "", "", "", ""]
    assert "1 of 5 sources" in await browser.get(f"{PAGES}/sources?text=HER")
    assert names(browser) == ["Herald"]
    async with reading.database.begin() as session:
        override = OverrideInput(reliability=0.25, reason="<b>Hacked</b>")
        await sources.set_override(session, corpus, world["herald"].id, override, "ops")
        await sources.update(session, corpus, world["gazette"].id, SourcePatch(status=SourceStatus.PAUSED))
    text = await browser.get(f"{PAGES}/sources?show=overridden")
    assert names(browser) == ["Herald"]
    assert "25 %" in text
    assert "set by an operator" in text
    assert "paused" in await browser.get(f"{PAGES}/sources?text=gazette")
    await browser.get(f"{PAGES}/sources?show=without_votes")
    assert names(browser) == ["Mute", "Late"]
    assert "No source matches" in await browser.get(f"{PAGES}/sources?show=turned")


async def test_bars_lead_to_the_sources_of_their_range(browser: Browser, world: dict[str, Source]) -> None:
    await browser.get(f"{PAGES}/sources?sort=name")
    bars = {str(bar.get("aria-label")): str(bar.get("href")) for bar in browser.page.xpath("//figure//svg/a")}
    found: list[str] = []
    for label, link in bars.items():
        text = await browser.get(link)
        assert f"{label.rpartition(': ')[2].split()[0]} of {len(world)} sources" in text
        assert len(browser.page.xpath("//figure//svg/a[@class='none']")) == len(bars) - 1
        found += names(browser)
    assert sorted(found) == ["Gazette", "Herald", "Rumour"]
    assert "No source matches" in await browser.get(f"{PAGES}/sources?least=0&most=1")
    await browser.get(f"{PAGES}/sources?least=101", 422)


async def test_two_votes_are_no_figure(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    stated = {"herald": honest(), "gazette": honest(), "brief": dict(list(honest().items())[:2])}
    built = await build(reading, corpus, stated, TOWERS)
    await estimate(reading, corpus)
    text = await browser.get(f"{PAGES}/sources")
    assert text.count("2 votes: too few") == 1
    assert [len(row.xpath(".//circle")) for row in browser.page.xpath("//tbody/tr")] == [1, 1, 0]
    assert "1 with too few votes" in " ".join(browser.page.xpath("//figure//a/@aria-label"))
    await browser.get(f"{PAGES}/sources/{built['brief'].id}")
    assert not browser.page.xpath("//main//circle")
    async with reading.database.begin() as session:
        override = OverrideInput(reliability=0.25, reason="known")
        await sources.set_override(session, corpus, built["brief"].id, override, "ops")
    assert "2 votes: too few" not in await browser.get(f"{PAGES}/sources")


async def test_hostile_names_are_text(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    async with reading.database.begin() as session:
        for name in HOSTILE:
            await sources.create(session, corpus, SourceInput(name=name))
    await browser.get(f"{PAGES}/sources")
    assert not browser.page.xpath("//main//script | //main//img | //@onerror | //@onmouseover | //@style")
    shown = names(browser)
    assert len(shown) == len(HOSTILE)
    assert HOSTILE[0] in shown
    assert HOSTILE[2] in shown
    assert "\u202e" not in browser.text
    await browser.get(f"{PAGES}/sources?text=%22%3E%3Cscript%3E%E2%80%AE")
    assert browser.page.xpath("//input[@name='text']/@value") == ['"><script>\u202e']
