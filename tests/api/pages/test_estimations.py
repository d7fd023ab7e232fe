"""Runs: started, followed, cancelled, and what they changed."""

import re

import pytest
from sqlalchemy import select

from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.schemas import EstimationParameters
from registry.keys.schemas import Scope
from registry.runtime import Runtime
from tests.api.http.routes.test_estimations import events
from tests.api.pages.conftest import PAGES, Browser, secret_of
from tests.api.pages.test_sign_in import sign_in
from tests.api.pages.test_sources import HOSTILE, estimate
from tests.registry.dissenting import dissenting
from tests.registry.estimations.test_service import finished
from tests.registry.world import TOWERS, build, honest, liar, question

RUNS = f"{PAGES}/estimations"


@pytest.fixture
async def world(reading: Runtime, corpus: Corpus) -> Runtime:
    await build(reading, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra", "Brin")}, TOWERS)
    return reading


async def newest(runtime: Runtime) -> EstimationRun:
    async with runtime.database.begin() as session:
        runs = select(EstimationRun).order_by(EstimationRun.id.desc())
        return (await session.scalars(runs.limit(1))).one()


async def test_a_run_is_started_followed_and_shown(browser: Browser, world: Runtime) -> None:
    assert "Nothing has been estimated yet" in await browser.get(RUNS)
    assert "is waiting for a worker" in await browser.send(RUNS, method="majority")
    (followed,) = browser.page.xpath("//*[@id='progress']/@data-events")
    run = await newest(world)
    await estimation.run(world, run.id)
    kinds = [step["event"] for step in events((await browser.client.get(followed)).text) if "event" in step]
    assert kinds[:2] == ["queued", "running"]
    assert kinds[-1] == "succeeded"
    text = await browser.get(f"{RUNS}/{run.id}")
    assert "18 votes of 3 sources on 6 queries" in text
    assert "every source counts the same" in text
    assert "a request" in text
    assert not browser.page.xpath("//script")
    assert "succeeded" in await browser.get(RUNS)


async def test_what_changed_since_the_run_before_and_what_more_queries_would_bring(
    browser: Browser, world: Runtime, corpus: Corpus
) -> None:
    first, second = await estimate(world, corpus), await estimate(world, corpus)
    text = await browser.get(f"{RUNS}/{first.id}")
    assert "Since run" not in text
    assert re.search(r"Their intervals are \d+ points wide on average\. 20 more queries .* \d+ points", text)
    (table,) = browser.page.xpath("//table")
    assert len(table.xpath(".//tbody/tr")) == 3
    assert "No reliability moved" in await browser.get(f"{RUNS}/{second.id}")
    async with world.database.begin() as session:
        (rumour,) = await session.scalars(
            select(RunSource).where(RunSource.estimation_id == first.id, RunSource.source_name == "Rumour")
        )
        rumour.reliability = 0.0
        changed = await session.get_one(EstimationRun, first.id)
        group = {"original_id": None, "log_odds": 1.0, "shared_wrong": 2.0, "expected": 0.5, "copied_share": 0.5}
        changed.copy_groups = [group | {"source_ids": [str(rumour.source_id)], "source_names": list(HOSTILE[:1])}]
    text = await browser.get(f"{RUNS}/{second.id}")
    assert "Rose, in percentage points Rumour +" in text
    assert "Left a copy group Rumour" in text
    assert "2.0 probably wrong answers; 0.5 are expected" in await browser.get(f"{RUNS}/{first.id}")
    assert not browser.page.xpath("//script")


async def test_what_a_run_would_change_is_shown_before_it_is_made_current(
    browser: Browser, world: Runtime, corpus: Corpus
) -> None:
    first = await finished(world, corpus, EstimationParameters(method="majority"))
    second = await estimate(world, corpus)
    assert "Answers are weighed by it" in await browser.get(f"{RUNS}/{second.id}")
    assert "no change of the sources" in browser.text
    await browser.get(f"{RUNS}/{first.id}")
    named = await browser.send(f"{RUNS}/{first.id}/name", name=HOSTILE[0])
    assert f"Run 1: {' '.join(HOSTILE[0].split())}" in named
    assert "Answers are weighed by run 2, not by this one" in named
    (preview,) = [link for link in browser.links() if f"{first.id}/difference?from={second.id}" in link]
    await browser.get(RUNS)
    assert [link for link in browser.links() if "/difference" in link] == [preview]
    text = await browser.get(preview)
    assert "method: one reliability per source, then every source counts the same" in text
    assert "The method changed, so this is no change of the sources." in text
    assert "replaces the scores of all 3 sources for everybody" in text
    stale = browser.values(f"{RUNS}/{first.id}/current")
    card = next(link for link in browser.links() if "/sources/" in link)
    await browser.get(card)
    (event,) = browser.page.xpath("//*[@class='event']/following-sibling::*[1]/text()")
    assert event == "2"
    assert "The method changed, so this is no change of the sources." in browser.page.xpath("string(//ul[1])")
    # No line joins the estimates of two methods.
    assert not browser.page.xpath("//*[@class='line']")
    await browser.get(preview)
    assert "Answers are weighed by it" in await browser.send(f"{RUNS}/{first.id}/current")
    assert (await browser.client.post(f"{RUNS}/{first.id}/current", data=stale)).status_code == 409
    assert "current" in await browser.get(RUNS)
    await browser.get(f"{RUNS}/{second.id}/difference?from={first.id}")
    assert "Answers are weighed by it" in await browser.send(f"{RUNS}/{second.id}/current")
    assert not browser.page.xpath("//script")


async def test_joint_dissent_is_shown_with_its_queries(browser: Browser, world: Runtime, corpus: Corpus) -> None:
    run = await estimate(world, corpus)
    assert "Joint dissent" not in await browser.get(f"{RUNS}/{run.id}")
    members = await dissenting(world, run, {"Rumour": HOSTILE[0], "Herald": HOSTILE[2]}, {"Brin": "purple"})
    text = await browser.get(f"{RUNS}/{run.id}")
    assert "They do on 1 query, with odds of more than 1,000,000 to 1" in text
    assert f"{question('Brin')} They say purple." in text
    (asked,) = browser.page.xpath("//h2[@id='joint-dissent']/following-sibling::section//li/a/@href")
    assert f"/estimations/{run.id}/queries/" in asked
    assert not browser.page.xpath("//script")
    for source_id, other in zip(members, (HOSTILE[2], HOSTILE[0]), strict=True):
        assert f"It agrees with {other} where they leave the others" in await browser.get(
            f"{PAGES}/sources/{source_id}"
        )
    await browser.get(f"{PAGES}/sources")
    marked = browser.page.xpath("//tbody/tr[.//a[normalize-space()='joint dissent']]/th")
    assert sorted(str(cell.text_content()).strip() for cell in marked) == ["Herald", "Rumour"]
    view = (await browser.client.get(f"/v1/corpora/default/estimations/{run.id}")).json()
    assert [group["source_ids"] for group in view["outcome"]["joint_dissents"]] == [members]


async def test_who_only_reads_starts_nothing(stranger: Browser, world: Runtime, corpus: Corpus) -> None:
    await sign_in(stranger, await secret_of(world, corpus, Scope.READ))
    await stranger.get(RUNS)
    assert [form.action for form in stranger.page.forms] == ["/sign-out"]
    run = await estimate(world, corpus)
    other = await estimate(world, corpus)
    token = dict(stranger.page.forms[0].form_values())
    sent = token | {"instead_of": str(other.id)}
    assert (await stranger.client.post(f"{RUNS}/{run.id}/current", data=sent)).status_code == 403
    await stranger.get(f"{RUNS}/{run.id}/difference?from={other.id}")
    assert [form.action for form in stranger.page.forms] == ["/sign-out"]
    assert (await stranger.client.post(RUNS, data=token)).status_code == 403
    await stranger.get(f"{RUNS}/0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c", 404)


async def test_one_run_at_a_time_and_it_can_be_cancelled(browser: Browser, world: Runtime) -> None:
    await browser.get(RUNS)
    await browser.send(RUNS)
    await browser.get(RUNS)
    assert "already queued or running" in await browser.send(RUNS, 409)
    run = await newest(world)
    await browser.get(f"{RUNS}/{run.id}")
    assert "will stop within seconds" in await browser.send(f"{RUNS}/{run.id}/cancel")
    await estimation.run(world, run.id)
    assert "was cancelled" in await browser.get(f"{RUNS}/{run.id}")
