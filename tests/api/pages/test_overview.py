"""The overview of a corpus: what failed, what turned or fell and when, and what waits for somebody."""

from typing import Any

import pytest

from api.pages.routes.overview import RUNS_SHOWN
from registry.connectors.model import Connector
from registry.corpora.model import Corpus
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.keys.schemas import Scope
from registry.platform.enums import RunStatus, Trigger
from registry.platform.settings import Settings
from registry.runtime import Runtime
from registry.webhooks import store as webhooks
from registry.webhooks.schemas import WebhookInput
from tests.api.pages.conftest import PAGES, Browser, secret_of
from tests.api.pages.test_sign_in import sign_in
from tests.api.pages.test_sources import HOSTILE
from tests.registry.estimated import finished
from tests.registry.world import TOWERS, build, build_turning, honest, liar


def charted(browser: Browser) -> list[str]:
    """The labels of the bars of the chart."""
    return [str(label) for label in browser.page.xpath("//svg//a/@aria-label")]


async def test_an_empty_corpus_says_what_comes_first(browser: Browser) -> None:
    text = await browser.get(PAGES)
    for part in ("no active sources", "Nothing has failed", "Nothing has been estimated yet"):
        assert part in text
    assert browser.page.xpath("//nav//a[@aria-current='page']/text()") == ["Overview"]


async def test_what_failed_and_what_runs(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    broken: dict[str, Any] = {"status": RunStatus.FAILED, "problem": {"detail": HOSTILE[0]}}
    async with reading.database.begin() as session:
        session.add(EstimationRun(corpus_id=corpus.id, number=1, trigger=Trigger.HTTP, **broken))
        session.add(Connector(corpus_id=corpus.id, name="Wire", kind="feed", config={}, **broken))
        session.add(Connector(corpus_id=corpus.id, name="Other", kind="feed", config={}, status=RunStatus.RUNNING))
        webhook = await webhooks.create(session, corpus, WebhookInput(url="https://hooks.example/"), "whsec_")
        await webhooks.switch_off(session, webhook, "Nothing arrives.")
    text = await browser.get(PAGES)
    assert "Nothing has failed" not in text
    for part in ("Run 1", "Wire", "off The webhook", "1 feed or site is being read"):
        assert part in text
    async with reading.database.begin() as session:
        session.add(EstimationRun(corpus_id=corpus.id, number=2, trigger=Trigger.HTTP, status=RunStatus.QUEUED))
    text = await browser.get(PAGES)
    assert "Run 2 is queued" in text
    assert "Run 1" not in text


async def test_what_turned_or_fell_by_run_and_what_waits(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    sources = await build_turning(reading, corpus)
    run = await finished(reading, corpus)
    text = await browser.get(PAGES)
    assert charted(browser) == ["Run 1: 1 source"]
    assert "turned on" in text
    assert f"{PAGES}/sources/{sources['turncoat'].id}" in browser.links()
    assert "Nothing has failed" in text
    fell: dict[str, object] = {"source_id": str(sources["turncoat"].id), "source_name": "turncoat", "change": "fell"}
    fell |= {"turned_at": None, "reliability_before": 0.9, "reliability": 0.2}
    async with reading.database.begin() as session:
        for number in range(2, RUNS_SHOWN + 5):
            alerts = {"count": number, "sources": [fell] if number == 2 else []}
            values = {"method": run.method, "status": RunStatus.SUCCEEDED, "finished_at": run.finished_at}
            session.add(
                EstimationRun(corpus_id=corpus.id, number=number, trigger=Trigger.HTTP, alerts=alerts, **values)
            )
    await browser.get(PAGES)
    assert charted(browser) == [f"Run {number}: {number} sources" for number in range(5, RUNS_SHOWN + 5)]


async def test_disputes_and_labels_are_counted(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {"a": honest(), "b": honest(), "c": liar(*TOWERS[:3])}, TOWERS)
    await finished(reading, corpus)
    async with reading.database.begin() as session:
        newest = await estimations.newest(session, corpus)
    assert newest is not None
    text = await browser.get(PAGES)
    assert "3 disputed queries without a right answer" in text
    assert "3 queries on which sources disagree" in text
    assert "No source by the last run" in text
    assert sum(f"/estimations/{newest.id}/queries/" in link for link in browser.links()) == 3


async def test_webhooks_are_for_those_who_may_see_them(
    stranger: Browser, reading: Runtime, corpus: Corpus, settings: Settings
) -> None:
    assert settings.keys_required is False
    async with reading.database.begin() as session:
        webhook = await webhooks.create(session, corpus, WebhookInput(url="https://hooks.example/"), "whsec_")
        await webhooks.switch_off(session, webhook, "Nothing arrives.")
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    assert "webhook" not in await stranger.get(PAGES)
    await stranger.send("/sign-out")
    await sign_in(stranger, await secret_of(reading, corpus, Scope.ADMIN))
    assert "webhook" in await stranger.get(PAGES)


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_is_text(browser: Browser, reading: Runtime, corpus: Corpus, text: str) -> None:
    async with reading.database.begin() as session:
        broken: dict[str, Any] = {"status": RunStatus.FAILED, "problem": {"detail": text}}
        session.add(Connector(corpus_id=corpus.id, name=text[:200], kind="feed", config={}, **broken))
    await browser.get(PAGES)
    assert not browser.page.xpath("//main//script | //main//img")
