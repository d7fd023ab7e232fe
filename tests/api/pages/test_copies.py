"""Copy groups: their evidence, how often each two members agree, and where they are linked from."""

from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import select

from api.pages import wording
from api.pages.copy_graph import CopyGraph
from registry.corpora.model import Corpus
from registry.disputes.store import PairAgreement
from registry.estimations.model import EstimationRun, RunSource
from registry.runtime import Runtime
from registry.sources.schemas import CopyGroup
from tests.api.pages.conftest import PAGES, Browser
from tests.api.pages.test_sources import HOSTILE, estimate
from tests.registry.world import TOWERS, build, honest, liar

COPIES = f"{PAGES}/copies"
EVIDENCE = {"log_odds": 4.0, "agreement": 1.0, "explained": 0.4, "shared_wrong": 2.0, "expected": 0.5}

LINK = {"log_odds": 9.0, "agreement": 0.9, "copied_share": 0.8, "copier_id": None}


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
            member.copy_group = 0
        ids = [str(member.source_id) for member in members]
        shown = [names[member.source_name] for member in members]
        link = LINK | {"first_id": ids[0], "second_id": ids[1], "copier_id": ids[1]}
        group = {"source_ids": ids, "source_names": shown, "original_id": ids[0], "copied_share": 0.8, "links": [link]}
        (await session.get_one(EstimationRun, run.id)).copy_groups = [EVIDENCE | group]
    return ids


async def test_groups_show_their_evidence_and_agreement(browser: Browser, reading: Runtime, run: EstimationRun) -> None:
    ids = await join(reading, run, {"Rumour": "Rumour", "Gossip": "Gossip", "Herald": "Herald"})
    text = await browser.get(COPIES)
    assert "1 group of sources" in text
    assert "Two of them agree on 100 % of the disputed queries" in text
    assert "the others copy Herald" in text
    pairs = [" ".join(item.text_content().split()) for item in browser.page.xpath("//ul[@class='pairs']/li")]
    # Three towers are disputed.
    assert pairs == [
        "Herald and Gossip: alike on 0 of 3",
        "Herald and Rumour: alike on 1 of 3",
        "Gossip and Rumour: alike on 2 of 3",
    ]
    cells = browser.page.xpath("//*[@class='matrix']/*[local-name()='g']/*[local-name()='text']/text()")
    assert sorted(cells) == sorted(2 * ["33\N{NO-BREAK SPACE}%", "0\N{NO-BREAK SPACE}%", "67\N{NO-BREAK SPACE}%"])
    assert "odds of 8,103 to 1, 80 % copied, alike on 1 of 3" in text
    (edge,) = browser.page.xpath("//*[@class='graph']/a[*[starts-with(@class, 'link')]]/@href")
    assert edge == f"{COPIES}/{ids[0]}/{ids[1]}"
    rows = [" ".join(row.text_content().split()) for row in browser.page.xpath("//*[@class='lineage']/ol/li")]
    assert rows == ["Herald 6 votes · original", "Gossip 6 votes", "Rumour 6 votes · copies 1"]
    # Both say the same on one of three queries: its sentences stand side by side.
    (shown,) = browser.page.xpath("//table/tbody/tr")
    assert len(shown.xpath("td/blockquote")) == 2
    text = await browser.get(edge)
    assert "gives odds of 8,103 to 1 that Rumour copies the other one, about 80 %" in text
    rows = [" ".join(row.text_content().split()) for row in browser.page.xpath("//tbody/tr")]
    assert ["not alike" in row for row in rows] == [False, True, True]
    assert all(row.count("is painted") == 2 for row in rows)
    assert "linked through other sources" in await browser.get(f"{COPIES}/{ids[2]}/{ids[1]}")
    await browser.get(f"{COPIES}/{ids[0]}/{ids[0]}", 404)
    for path in (f"{PAGES}/sources", f"{PAGES}/sources/{ids[1]}"):
        await browser.get(path)
        assert f"{COPIES}?group=1#group-1" in browser.links()
    async with reading.database.begin() as session:
        stored = await session.get_one(EstimationRun, run.id)
        stored.copy_groups = 2 * stored.copy_groups
    for group, other in ((1, 2), (2, 1)):
        assert "Group 2: 3 sources" in await browser.get(f"{COPIES}?group={group}")
        assert browser.page.xpath("//section[.//table]/@id") == [f"group-{group}"]
        assert f"{COPIES}?group={other}#group-{other}" in browser.links()
    await browser.get(f"{COPIES}?group=1")
    assert "Group 1" in await browser.get(f"{COPIES}?group=99")


async def test_hostile_names_are_text(browser: Browser, reading: Runtime, run: EstimationRun) -> None:
    await join(reading, run, dict(zip(("Herald", "Gazette", "Rumour", "Gossip"), HOSTILE, strict=False)))
    await browser.get(COPIES)
    assert not browser.page.xpath("//script | //img | //@onerror | //@onmouseover | //@style")
    assert "\u202e" not in browser.text
    (edge,) = browser.page.xpath("//*[@class='graph']/a[*[starts-with(@class, 'link')]]/@href")
    await browser.get(edge)
    assert not browser.page.xpath("//script | //img | //@onerror | //@onmouseover | //@style")


def test_members_stand_in_the_order_of_publication() -> None:
    ids = [uuid4() for _ in range(5)]
    first, second, third, undated, original = ids
    # Each copies the one before, and the third the first as well; nothing dates the fourth.
    copied = [(first, second), (second, third), (first, third), (original, first)]
    links = [LINK | {"first_id": min(pair), "second_id": max(pair), "copier_id": pair[1]} for pair in copied]
    links += [LINK | {"first_id": undated, "second_id": second}]
    names = [str(place) for place in range(5)]
    given = {"source_ids": ids, "source_names": names, "original_id": original, "copied_share": 0.8, "links": links}
    graph = CopyGraph.of(CopyGroup.model_validate(EVIDENCE | given))
    order = [member.source_id for member in graph.members]
    assert order[0] == original
    assert order.index(first) < order.index(second) < order.index(third)
    assert all(arc.link.copier_id == arc.target.source_id for arc in graph.arcs[:4])
    assert graph.copied_by(graph.members[0]) is None


def test_times_of_copying_in_words() -> None:
    first, second = uuid4(), uuid4()
    names = {first: "Herald", second: "Rumour"}
    sentences = [
        wording.copying_time(PairAgreement(first, second, 9, 8, 7, earlier, lag), names)
        for earlier, lag in ((6, timedelta(days=3)), (1, timedelta(hours=-5)), (0, timedelta()), (0, None))
    ]
    assert sentences == [
        "Of 7 such answers with dates, Rumour published 6 after Herald, 3 days later in the median.",
        "Of 7 such answers with dates, Herald published 6 after Rumour, 5 hours later in the median.",
        "They publish the answers that agree at the same times.",
        "",
    ]
    assert wording.odds(50) == "more than 1,000,000 to 1"
