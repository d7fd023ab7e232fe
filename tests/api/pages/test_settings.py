"""Settings of a corpus, its schedules and connectors, its documents and its audit log, changed in the pages."""

import pytest

from api.pages import wording
from registry.corpora.model import Corpus
from registry.keys.schemas import Scope
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser, secret_of
from tests.api.pages.test_sign_in import sign_in
from tests.api.pages.test_sources import HOSTILE
from tests.registry.world import build, honest

SETTINGS, RUNS, ADD = f"{PAGES}/settings", f"{PAGES}/estimations", f"{PAGES}/documents"


async def stored(browser: Browser, path: str = "") -> dict[str, object]:
    """What HTTP says of the corpus, or of a part of it."""
    response = await browser.client.get(f"/v1/corpora/default{path}")
    return dict(response.raise_for_status().json())


async def test_settings_are_changed_and_audited(browser: Browser) -> None:
    await browser.get(SETTINGS)
    assert browser.values(SETTINGS)["use_gold"] == "true"
    values = {"description": HOSTILE[0], "answers": "several", "asked_queries": "7"}
    form = {name: value for name, value in browser.values(SETTINGS).items() if name != "use_gold"} | values
    response = await browser.client.post(SETTINGS, data=form)
    assert (response.status_code, response.headers["location"]) == (303, SETTINGS)
    after = await stored(browser)
    assert {name: after[name] for name in values} == values | {"asked_queries": 7}
    assert (after["use_gold"], after["generate_queries"]) == (False, True)
    for path in (f"{PAGES}/audit", "/operations/audit"):
        text = await browser.get(path)
        assert "corpus changed default" in text
        assert "runs use right answers: yes, then no" in text
        assert "answers: one, then several" in text
        assert not browser.page.xpath("//script")
    await browser.get(SETTINGS)
    text = await browser.send(SETTINGS, 422, asked_queries="-1")
    assert "not valid" in text
    await browser.get(SETTINGS)
    assert f"{SETTINGS}/delete" not in {form.action for form in browser.page.forms}


async def test_a_corpus_is_made_renamed_and_deleted_by_its_name(browser: Browser) -> None:
    await browser.get("/corpora")
    assert "This corpus has no sources yet" in await browser.send("/corpora", name="press", description="Papers")
    await browser.get("/corpora")
    assert "Papers" in browser.text
    await browser.send("/corpora", 409, name="press")
    await browser.get("/corpora/press/settings")
    assert "Settings of daily" in await browser.send("/corpora/press/settings", name="daily")
    delete = "/corpora/daily/settings/delete"
    assert "type its name: daily" in await browser.send(delete, 422, name="press")
    await browser.get("/corpora/daily/settings")
    text = await browser.send(delete, name="daily")
    assert "Corpora" in text
    assert "daily" not in text


async def test_schedules_are_made_changed_and_deleted(browser: Browser) -> None:
    schedules = f"{PAGES}/schedules"
    await browser.get(RUNS)
    text = await browser.send(schedules, name=HOSTILE[1], cron="30 3 * * *", timezone="Europe/Oslo")
    assert "every day at 03:30, Europe/Oslo. Next " in text
    change = next(form.action for form in browser.page.forms if form.action.startswith(f"{schedules}/"))
    form = {name: value for name, value in browser.values(change).items() if name != "enabled"}
    await browser.client.post(change, data=form | {"cron": "0 * * * *"})
    assert "every hour, Europe/Oslo, off" in await browser.get(RUNS)
    assert "not a cron expression" in await browser.send(change, 422, cron="nightly")
    await browser.get(RUNS)
    assert "Europe/Oslo" not in await browser.send(f"{change}/delete")
    assert (await stored(browser, "/schedules"))["items"] == []


async def test_connectors_are_changed_and_deleted(browser: Browser) -> None:
    values = {"name": "press", "kind": "feed", "config": {"urls": ["https://a.example/feed"]}, "cron": "0 4 * * *"}
    made = (await browser.client.post("/v1/corpora/default/connectors", json=values)).json()
    here = f"{PAGES}/connectors/{made['id']}"
    await browser.get(ADD)
    assert browser.values(f"{here}/settings")["urls"] == "https://a.example/feed"
    await browser.send(f"{here}/settings", urls="https://b.example/feed\r\nhttps://c.example/it's", cron="")
    changed = await stored(browser, f"/connectors/{made['id']}")
    assert (changed["config"], changed["cron"]) == (
        {"urls": ["https://b.example/feed", "https://c.example/it's"]},
        None,
    )
    await browser.send(f"{here}/settings", cron="0 4 * * *")
    assert (await stored(browser, f"/connectors/{made['id']}"))["config"] == changed["config"]
    await browser.send(f"{here}/settings", 422, urls="")
    await browser.get(ADD)
    await browser.send(f"{here}/delete")
    assert (await stored(browser, "/connectors"))["items"] == []
    mapped = {"name": "site", "kind": "pages", "config": {"sitemap": "https://a.example/map.xml", "max_pages": 9}}
    made = (await browser.client.post("/v1/corpora/default/connectors", json=mapped)).json()
    await browser.get(ADD)
    await browser.send(f"{PAGES}/connectors/{made['id']}/settings", sitemap="https://b.example/map.xml")
    changed = await stored(browser, f"/connectors/{made['id']}")
    assert changed["config"] == {"sitemap": "https://b.example/map.xml", "max_pages": 9}


async def test_a_document_is_deleted(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    source = (await build(reading, corpus, {"herald": dict(list(honest().items())[:2])}))["herald"]
    documents = f"{PAGES}/sources/{source.id}/documents"
    await browser.get(documents)
    first, second = (link for link in browser.links() if link.startswith(f"{documents}/"))
    await browser.get(first)
    await browser.send(f"{first}/delete")
    assert [link for link in browser.links() if link.startswith(f"{documents}/")] == [second]
    assert "document deleted" in await browser.get(f"{PAGES}/audit")


async def test_a_source_is_changed_rated_and_deleted(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    source = (await build(reading, corpus, {"herald": dict(list(honest().items())[:1])}))["herald"]
    here = f"{PAGES}/sources/{source.id}"
    await browser.get(here)
    changed = {"name": HOSTILE[0], "status": "retired", "url": "https://x.example", "description": HOSTILE[2]}
    await browser.client.post(f"{here}/details", data=browser.values(f"{here}/details") | changed)
    text = await browser.get(here)
    for part in (HOSTILE[0], "retired", "https://x.example", HOSTILE[2]):
        assert part in text
    await browser.send(f"{here}/details", 422, url="javascript:alert(1)")
    await browser.get(here)
    assert "https://x.example" not in await browser.send(f"{here}/details", url="")
    text = await browser.send(f"{here}/rating", rating="0.9", strength="20", origin=HOSTILE[1])
    assert f"Rating from {HOSTILE[1]}" in text
    assert (await stored(browser, f"/sources/{source.id}"))["reliability"]["rating"]["strength"] == 20  # type: ignore[index]
    await browser.send(f"{here}/rating", 422, rating="1.1")
    await browser.get(here)
    assert "Rating from" not in await browser.send(f"{here}/rating/delete")
    await browser.send(f"{here}/delete")
    await browser.get(here, 404)


async def test_passages_are_searched(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {"herald": honest(), "gazette": honest()})
    await browser.get(f"{PAGES}/answers")
    search = f"{PAGES}/search"
    assert search in browser.links()
    text = await browser.get(f"{search}?query=What+colour+is+the+tower+of+Aldra%3F")
    assert "The tower of Aldra is painted red." in text
    (hit, *_) = (link for link in browser.links() if "#marked" in link)
    await browser.get(hit.partition("#")[0])
    assert "Aldra" in browser.page.xpath("string(//mark)")
    await browser.get(f"{search}?query={HOSTILE[0]}")
    assert not browser.page.xpath("//script")
    await browser.get(f"{search}?query=%00", 422)


async def test_tables_are_downloaded(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {"herald": honest()})
    await browser.get(f"{PAGES}/exports")
    (link,) = (link for link in browser.links() if link.endswith("/sources?format=csv"))
    response = await browser.client.get(link)
    assert response.headers["content-disposition"] == 'attachment; filename="default-sources.csv"'
    assert "Herald" in response.text


@pytest.mark.parametrize("scope", [Scope.READ, Scope.INGEST])
async def test_only_admins_change_anything(stranger: Browser, reading: Runtime, corpus: Corpus, scope: Scope) -> None:
    source = (await build(reading, corpus, {"herald": dict(list(honest().items())[:1])}))["herald"]
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ, scope))
    await stranger.get(RUNS)
    token = dict(stranger.page.forms[0].form_values())
    documents = f"{PAGES}/sources/{source.id}/documents"
    await stranger.get(documents)
    document = next(link for link in stranger.links() if link.startswith(f"{documents}/"))
    await stranger.get(document)
    assert f"{document}/delete" not in {form.action for form in stranger.page.forms}
    for path in (SETTINGS, f"{PAGES}/audit", "/operations/audit"):
        await stranger.get(path, 403)
    valid = {"name": "nightly", "cron": "0 3 * * *", "answers": "one", "asked_queries": "1", "text_search": "english"}
    for path in (SETTINGS, f"{SETTINGS}/delete", "/corpora", f"{PAGES}/schedules", f"{document}/delete"):
        assert (await stranger.client.post(path, data=token | valid)).status_code == 403, path


def test_times_in_words() -> None:
    words = {"0 3 * * *": "every day at 03:00", "5 * * * *": "every hour at 5 minutes", "0 * * * *": "every hour"}
    assert {expression: wording.cron(expression) for expression in words} == words
    for expression in ("*/5 * * * *", "0 3 * * mon", "0 3,5 * * *", "0 3 1 * *"):
        assert wording.cron(expression) == expression
