"""Feeds of the sources that turn or fall, and webhooks on the same page."""

from datetime import UTC, datetime
from unittest.mock import AsyncMock
from uuid import UUID

import feedparser
import pytest
from fastapi import FastAPI
from lxml import etree

from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.keys import store as key_store
from registry.keys.schemas import Scope
from registry.platform.addresses import PublicBackend
from registry.platform.enums import Trigger
from registry.runtime import Runtime
from registry.sources import store as sources
from tests.api.pages.conftest import PAGES, Browser, browser_of, secret_of
from tests.api.pages.test_sign_in import sign_in
from tests.api.pages.test_sources import HOSTILE
from tests.registry.estimated import finished
from tests.registry.world import build_turning

WATCHES = f"{PAGES}/watches"


def address_of(browser: Browser) -> str:
    """The path of the feed that was just made."""
    (url,) = browser.page.xpath("//code[@class='secret']/text()")
    assert url.startswith("http://localhost/feeds/")
    return str(url).removeprefix("http://localhost")


def fell(source_id: UUID | str, name: str) -> dict[str, object]:
    named = {"source_id": str(source_id), "source_name": name, "change": "fell", "turned_at": None}
    return named | {"reliability_before": 0.9, "reliability": 0.2}


async def add_run(runtime: Runtime, like: EstimationRun, number: int, *sources: dict[str, object]) -> None:
    """A run that found these sources to have fallen."""
    values = {"corpus_id": like.corpus_id, "status": like.status, "method": like.method}
    alerts = {"count": len(sources), "sources": list(sources)}
    async with runtime.database.begin() as session:
        run = EstimationRun(**values, number=number, trigger=Trigger.HTTP, finished_at=like.finished_at, alerts=alerts)
        session.add(run)


async def test_a_feed_tells_what_turned_or_fell_and_readers_follow_it(
    browser: Browser, reading: Runtime, corpus: Corpus
) -> None:
    built = await build_turning(reading, corpus)
    run = await finished(reading, corpus)
    turncoat, herald = built["turncoat"], built["herald"]
    await browser.get(f"{PAGES}/sources/{herald.id}")
    watch = next(link for link in browser.links() if "/watches?source=" in link)
    assert herald.name in await browser.get(watch)
    await browser.send(WATCHES)
    alone = address_of(browser)
    # Loading the page again makes no second one.
    await browser.get(WATCHES)
    assert not browser.page.xpath("//code[@class='secret']")
    assert len([form for form in browser.page.forms if form.action.endswith("/remove")]) == 1
    await browser.send(WATCHES)
    everything = address_of(browser)
    feed = feedparser.parse((await browser.client.get(everything)).content)
    assert not feed.bozo
    (entry,) = feed.entries
    assert entry.title.startswith(f"{turncoat.name} turned: ")
    assert entry.link == f"http://localhost{PAGES}/sources/{turncoat.id}"
    assert feedparser.parse((await browser.client.get(alone)).content).entries == []
    # More sources than a list names at once.
    many = [fell(f"0199f0a2-c4e5-7d3a-8b1c-{number:012}", "x") for number in range(150)]
    await add_run(reading, run, 2, *many, fell(herald.id, herald.name))
    await add_run(reading, run, 3)
    response = await browser.client.get(alone)
    assert response.headers["content-type"] == "application/atom+xml"
    (own,) = feedparser.parse(response.content).entries
    assert own.title == f"{herald.name} fell: 20\N{NO-BREAK SPACE}%, before 90\N{NO-BREAK SPACE}%"
    again = await browser.client.get(alone, headers={"If-None-Match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    entries = feedparser.parse((await browser.client.get(everything)).content).entries
    assert len(entries) == 101
    assert len({each.id for each in entries}) == 101
    assert entries[-1].id == entry.id


@pytest.mark.parametrize("text", HOSTILE)
async def test_a_feed_of_hostile_names_is_xml(browser: Browser, reading: Runtime, corpus: Corpus, text: str) -> None:
    now = datetime.now(UTC)
    run = EstimationRun(corpus_id=corpus.id, status="succeeded", method="one_coin", finished_at=now)
    await add_run(reading, run, 1, fell("0199f0a2-c4e5-7d3a-8b1c-000000000001", text + "\x01]]>&<"))
    await browser.get(WATCHES)
    await browser.send(WATCHES)
    root = etree.fromstring((await browser.client.get(address_of(browser))).content)
    assert len(root.findall("{http://www.w3.org/2005/Atom}entry")) == 1
    assert not root.findall(".//script")


async def test_a_feed_ends_with_its_key_and_when_it_is_removed(
    stranger: Browser, guarded_app: FastAPI, reading: Runtime, corpus: Corpus
) -> None:
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    await stranger.get(WATCHES)
    addresses = []
    for _ in range(2):
        await stranger.send(WATCHES)
        addresses.append(address_of(stranger))
    async with browser_of(guarded_app) as anybody:
        for address in addresses:
            assert (await anybody.get(address)).status_code == 200
        assert (await anybody.get("/feeds/x")).status_code == 404
        removal = next(form.action for form in stranger.page.forms if form.action.endswith("/remove"))
        # Others who may only read remove nothing of it.
        other = Browser(anybody)
        await sign_in(other, await secret_of(reading, corpus, Scope.READ))
        await other.get(WATCHES)
        assert not [form for form in other.page.forms if form.action.endswith("/remove")]
        token = dict(other.page.forms[0].form_values())
        assert (await anybody.post(removal, data=token)).status_code == 403
        await stranger.send(removal)
        found = sorted([(await anybody.get(address)).status_code for address in addresses])
        assert found == [200, 404]
        async with reading.database.begin() as session:
            for key in (await key_store.page(session, corpus, cursor=None, limit=9)).items:
                await key_store.revoke(session, corpus, key.id)
        assert [(await anybody.get(address)).status_code for address in addresses] == [404, 404]


async def test_the_feed_of_a_source_ends_with_it(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    built = await build_turning(reading, corpus)
    await browser.get(WATCHES)
    await browser.send(WATCHES, source=built["herald"].name)
    address = address_of(browser)
    await browser.get(WATCHES)
    await browser.send(WATCHES, 404, source="nobody")
    async with reading.database.begin() as session:
        await sources.delete(session, corpus, built["herald"].id)
    assert (await browser.client.get(address)).status_code == 404


async def test_webhooks_are_made_tried_switched_off_and_removed(
    browser: Browser, reading: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reading.settings.webhook_networks == ()
    await browser.get(WATCHES)
    hooks = f"{WATCHES}/webhooks"
    assert "http://" in await browser.send(hooks, 422, url="ftp://hooks.example/")
    monkeypatch.setattr(PublicBackend, "allowed", AsyncMock())
    await browser.get(WATCHES)
    await browser.send(hooks, url="https://hooks.example/x")
    assert browser.page.xpath("//code[@class='secret']/text()")[0].startswith("whsec_")
    assert "source.turned" in await browser.get(WATCHES)
    (tried,) = [form.action for form in browser.page.forms if form.action.endswith("/test")]
    assert "webhook.test" in await browser.send(tried)
    assert "off" in await browser.send(tried.removesuffix("/test"))
    assert "Switch on" in browser.text
    await browser.send(tried.removesuffix("test") + "remove")
    assert "hooks.example" not in browser.text


async def test_who_only_reads_sees_no_webhooks(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    assert "ebhook" not in await stranger.get(WATCHES)
    token = dict(stranger.page.forms[0].form_values())
    refused = await stranger.client.post(
        f"{WATCHES}/webhooks", data=token | {"url": "https://a.example", "events": "x"}
    )
    assert refused.status_code == 403
