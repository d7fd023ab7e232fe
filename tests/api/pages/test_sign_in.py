"""Signing in and out, forms of other sites, and who sees which corpus."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from fastapi.routing import iter_route_contexts
from sqlalchemy import update
from starlette.routing import Route

from api.app import create_app
from api.http.authorization import COOKIE
from api.pages.routes import ROUTER
from api.pages.typed import MOST_READ, TYPED
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.jobs.housekeeping import clean
from registry.keys import rates, sessions
from registry.keys import service as keys
from registry.keys import store as key_store
from registry.keys.model import BrowserSession
from registry.keys.schemas import Scope
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser, browser_of, secret_of
from tests.api.pages.test_sources import HOSTILE

NOBODY = "0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c"


async def sign_in(browser: Browser, secret: str, status: int = 200) -> str:
    await browser.get("/sign-in")
    return await browser.send("/sign-in", status, api_key=secret)


async def test_a_key_signs_in_and_the_session_ends_with_sign_out(
    stranger: Browser, reading: Runtime, corpus: Corpus
) -> None:
    assert "Sign in" in await stranger.get(f"{PAGES}/sources", 401)
    before = stranger.client.cookies[COOKIE]
    secret = await secret_of(reading, corpus, Scope.READ)
    assert "no sources yet" in await stranger.send("/sign-in", api_key=f" {secret} ")
    after = stranger.client.cookies[COOKIE]
    assert after not in {before, secret}
    assert "Sign in" in await stranger.send("/sign-out")
    stranger.client.cookies.set(COOKIE, after)
    assert "session has ended" in await stranger.get(f"{PAGES}/sources", 401)


@pytest.mark.parametrize("secret", ["crd_unknown", "x", "é\u202e"])
async def test_an_unknown_key_does_not_sign_in(stranger: Browser, secret: str) -> None:
    assert "unknown, expired or revoked" in await sign_in(stranger, secret, 401)
    await stranger.get("/corpora", 401)


async def test_a_revoked_key_ends_its_sessions(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    async with reading.database.begin() as session:
        (key,) = (await key_store.page(session, corpus, cursor=None, limit=9)).items
        await key_store.revoke(session, corpus, key.id)
    await stranger.get("/corpora", 401)


async def test_a_session_expires(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    async with reading.database.begin() as session:
        await session.execute(update(BrowserSession).values(expires_at=BrowserSession.expires_at - sessions.LIFETIME))
    await stranger.get("/corpora", 401)
    assert (await clean(reading))["browser_sessions"] == 1


async def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(
    stranger: Browser, reading: Runtime, corpus: Corpus
) -> None:
    secret = await secret_of(reading, corpus, Scope.READ)
    for scheme in ("http", "https"):
        stranger.client.base_url = httpx.URL(f"{scheme}://service.example")
        await stranger.get("/sign-in")
        form = dict(stranger.page.forms[0].form_values()) | {"api_key": secret}
        response = await stranger.client.post("/sign-in", data=form)
        flags = response.headers["set-cookie"].lower()
        assert "httponly" in flags
        assert "samesite=strict" in flags
        assert ("secure" in flags) is (scheme == "https")
        assert secret not in response.headers["set-cookie"]


@pytest.mark.parametrize(
    ("goal", "target"),
    [
        ("/corpora/default/sources", "/corpora/default/sources"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/\t/evil.example", "/"),
    ],
)
async def test_signing_in_leads_to_our_own_pages_only(
    stranger: Browser, reading: Runtime, corpus: Corpus, goal: str, target: str
) -> None:
    secret = await secret_of(reading, corpus, Scope.READ)
    await stranger.get("/sign-in")
    form = dict(stranger.page.forms[0].form_values()) | {"api_key": secret, "goal": goal}
    assert (await stranger.client.post("/sign-in", data=form)).headers["location"] == target


@pytest.mark.parametrize("token", [None, "", "0" * 64, "é"])
async def test_forms_of_other_sites_are_refused(
    stranger: Browser, reading: Runtime, corpus: Corpus, token: str | None
) -> None:
    await sign_in(stranger, await secret_of(reading, corpus, Scope.ADMIN))
    values = {} if token is None else {"form_token": token}
    refused = await stranger.client.post("/sign-out", data=values)
    assert refused.status_code == 403
    shown = stranger._show(refused, 403)
    assert shown.startswith("This form is out of date")
    assert "key" not in shown
    await stranger.get("/corpora")


async def test_without_keys_forms_still_need_their_token(browser: Browser) -> None:
    refused = await browser.client.post("/sign-out", data={})
    assert refused.status_code == 403


async def test_without_keys_there_is_nothing_to_sign_in_to(browser: Browser) -> None:
    assert "default" in await browser.get("/sign-in")


async def test_every_page_but_sign_in_and_links_needs_a_session(stranger: Browser) -> None:
    await stranger.get("/sign-in")
    token = dict(stranger.page.forms[0].form_values())
    routes = [context.original_route for context in iter_route_contexts(ROUTER.routes)]
    paths = [(method, route.path) for route in routes if isinstance(route, Route) for method in route.methods or ()]
    assert len(paths) > 5
    for method, path in paths:
        if path.startswith(("/sign-", "/shared/", "/feeds/")):
            continue
        own = path.replace("{corpus}", "default").replace(":segment}", "}")
        own = "/".join(NOBODY if part.startswith("{") else part for part in own.split("/"))
        response = await stranger.client.request(method, own, data=token if method == "POST" else None)
        assert response.status_code == 401, (method, path, response.text)


async def test_a_key_of_one_corpus_sees_no_other(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    async with reading.database.begin() as session:
        await corpora.create(session, CorpusInput(name="other", description="hidden words"))
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    await stranger.get("/corpora")
    assert "/corpora/other/sources" not in stranger.links()
    assert "There is no corpus 'other'" in await stranger.get("/corpora/other/sources", 404)
    await stranger.send("/sign-out")
    await sign_in(stranger, await secret_of(reading, None, Scope.READ))
    assert "hidden words" in await stranger.get("/corpora")
    await stranger.get("/corpora/other/sources")


async def test_a_key_without_the_scope_is_told_so(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    assert "`read`" in await sign_in(stranger, await secret_of(reading, corpus, Scope.INGEST), 403)


async def test_a_key_that_only_asks_is_led_to_the_questions(
    stranger: Browser, reading: Runtime, corpus: Corpus
) -> None:
    assert "Asked so far" in await sign_in(stranger, await secret_of(reading, corpus, Scope.ASK))
    assert not [link for link in stranger.links() if link.endswith("/sources")]


async def test_floods_of_keys_and_of_requests_are_refused(
    settings: Settings, reading: Runtime, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates, "clock", lambda: 1_800_000_030.0)
    monkeypatch.setattr(rates, "FAILED_LOGINS_PER_MINUTE", 2)
    limits = {"require_api_keys": True, "requests_per_minute": 3}
    limited = settings.model_copy(update=limits)
    async with browser_of(create_app(limited, runtime=replace(reading, settings=limited))) as client:
        browser = Browser(client)
        await sign_in(browser, await secret_of(reading, corpus, Scope.READ))
        await browser.get("/corpora")
        await browser.get("/corpora", 429)
        for status in (401, 401, 429):
            await sign_in(browser, "crd_wrong", status)


async def test_a_bearer_key_opens_no_page(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    secret = await secret_of(reading, corpus, Scope.READ)
    response = await stranger.client.get("/corpora", headers={"Authorization": f"Bearer {secret}"})
    assert response.status_code == 401


async def test_forms_are_read_after_sign_in_only(stranger: Browser) -> None:
    sent = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 1
            yield b"x" * 10_000

    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for path, status in ((f"{PAGES}/answers", 401), (f"{PAGES}/documents:import", 401), ("/sign-in", 413)):
        sent = 0
        response = await stranger.client.post(path, content=body(), headers=form)
        assert (response.status_code, response.headers["content-type"]) == (status, "text/html; charset=utf-8")
        assert sent <= 8


async def test_what_was_typed_when_the_session_ended_is_sent_after_signing_in(
    stranger: Browser, reading: Runtime, corpus: Corpus
) -> None:
    secret = await secret_of(reading, corpus, Scope.READ, Scope.ASK)
    await sign_in(stranger, secret)
    await stranger.get(f"{PAGES}/answers")
    typed = stranger.values(f"{PAGES}/answers") | {"question": "Which tower <b>leans</b>? " + HOSTILE[0]}
    async with reading.database.begin() as session:
        await session.execute(update(BrowserSession).values(expires_at=datetime.now(UTC) - timedelta(hours=1)))
    response = await stranger.client.post(f"{PAGES}/answers", data=typed)
    assert "is kept until you have signed in: questionWhich tower <b>leans</b>?" in stranger._show(response, 401)
    again = await stranger.send("/sign-in", api_key=secret)
    assert "What you had typed was not sent" in again
    assert stranger.values(f"{PAGES}/answers")["question"] == typed["question"].replace("\u202e", "")
    assert "is waiting for a worker" in await stranger.send(f"{PAGES}/answers")
    assert TYPED not in stranger.client.cookies
    # What another site sends is not read, nor is what is long kept in a cookie.
    for headers, fields, kept in (
        ({"Sec-Fetch-Site": "cross-site"}, {"question": "x"}, False),
        ({"Sec-Fetch-Site": "same-origin"}, {"question": "x"}, True),
        ({"Sec-Fetch-Site": "same-origin"}, {"question": "x" * 5_000}, False),
    ):
        stranger.client.cookies.clear()
        response = await stranger.client.post(f"{PAGES}/answers", data=fields, headers=headers)
        assert (TYPED in response.cookies) is kept
    assert "Copy it before you sign in: questionxxx" in stranger._show(response, 401)


async def test_what_was_typed_into_a_form_of_another_session_is_shown(
    stranger: Browser, reading: Runtime, corpus: Corpus
) -> None:
    secret = await secret_of(reading, corpus, Scope.READ, Scope.ASK)
    await sign_in(stranger, secret)
    await stranger.get(f"{PAGES}/answers")
    typed = stranger.values(f"{PAGES}/answers") | {"question": "Which tower <b>leans</b>?"}
    stranger.client.cookies.clear()
    await sign_in(stranger, secret)
    for site, is_shown in (("same-origin", True), ("cross-site", False)):
        headers = {"Sec-Fetch-Site": site}
        shown = stranger._show(await stranger.client.post(f"{PAGES}/answers", data=typed, headers=headers), 403)
        assert ("Copy it before you leave this page: questionWhich tower <b>leans</b>?" in shown) is is_shown
    stale = {"api_key": secret, "goal": "/", "form_token": typed["form_token"]}
    response = await stranger.client.post("/sign-in", data=stale, headers={"Sec-Fetch-Site": "same-origin"})
    assert response.status_code == 403
    assert secret not in response.text


async def test_a_pasted_text_is_sent_after_signing_in_and_its_files_are_not(
    stranger: Browser, reading: Runtime, corpus: Corpus
) -> None:
    path, secret = f"{PAGES}/documents:import", await secret_of(reading, corpus, Scope.READ, Scope.INGEST)
    await sign_in(stranger, secret)
    await stranger.get(f"{PAGES}/documents")
    # Files are sent after the text, and are longer than what is read of a form without a session.
    assert stranger.page.xpath("//form//input[@type='file']/following::button[1]/text()") == ["Add"]
    names = [field.name for field in stranger.page.xpath(f"//form[@action='{path}']//*[@name]")]
    assert names == ["form_token", "source", "title", "text", "file"]
    typed = stranger.values(path) | {"source": "Mill news", "title": "Tower", "text": "The tower <b>leans</b>."}
    async with reading.database.begin() as session:
        await session.execute(update(BrowserSession).values(expires_at=datetime.now(UTC) - timedelta(hours=1)))
    for content, left_out in ((b"", False), (b"Of a file.", True), (b"Of a file. " * MOST_READ, True)):
        name = "a.txt" if content else ""
        response = await stranger.client.post(path, data=typed, files={"file": (name, content)})
        shown = stranger._show(response, 401)
        assert "textThe tower <b>leans</b>." in shown
        assert "Of a file" not in shown
        assert ("Files are not kept" in shown) is left_out
    # Of a text that is too long nothing is shown as if it were all of it.
    long = typed | {"text": "long " * MOST_READ}
    assert "long" not in stranger._show(await stranger.client.post(path, data=long, files={"file": ("", b"")}), 401)
    await stranger.client.post(path, data=typed, files={"file": ("a.txt", b"Of a file. " * MOST_READ)})
    assert "Files are not kept" in await stranger.send("/sign-in", api_key=secret)
    sent = stranger.values(path)
    response = await stranger.client.post(path, data=sent, files={"file": ("", b"")})
    assert "1 document" in stranger._show(response, 200)


async def test_browsers_see_the_documentation_once_they_have_signed_in(
    stranger: Browser, reading: Runtime, corpus: Corpus
) -> None:
    assert "API key" in await stranger.get("/docs", 401)
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    assert "swagger" in (await stranger.client.get("/docs")).text
    stranger.client.cookies.set(COOKIE, "x")
    await stranger.get("/docs", 401)


async def test_a_session_opens_nothing_under_v1(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    assert (await stranger.client.get("/v1/corpora")).status_code == 401


def test_a_session_is_stored_as_a_hash_only() -> None:
    token = sessions.new_token()
    assert token.encode() not in keys.digest(token)
