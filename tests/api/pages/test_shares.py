"""Links that show an answer to people without a key, and nothing else."""

from datetime import UTC, datetime, timedelta

import httpx
from fastapi import FastAPI
from sqlalchemy import select, update

from api.app import create_app
from registry.answers import service as answers
from registry.answers.model import AnswerShare
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.keys import store as key_store
from registry.keys.schemas import Scope
from registry.keys.service import digest
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.pages.conftest import Browser, browser_of, secret_of
from tests.api.pages.test_answers import ASK, newest, world
from tests.api.pages.test_sign_in import sign_in
from tests.registry.world import question

__all__ = ["world"]

SHARES = "/v1/corpora/default/shares"


async def shared_link(browser: Browser, world: Runtime, corpus: Corpus) -> str:
    """The path of a link that a visitor makes to a new answer, after signing in with a key that may only ask."""
    record = await answers.ask(world, corpus, question("Aldra"), AnswerParameters())
    await sign_in(browser, await secret_of(world, corpus, Scope.ASK))
    await browser.get(f"{ASK}/{record.id}")
    assert "shown only once" in await browser.send(f"{ASK}/{record.id}/shares", days="30")
    url = browser.page.xpath("string(//*[@class='secret'])")
    assert url.startswith("http://localhost/shared/")
    return str(url.removeprefix("http://localhost"))


async def test_a_link_shows_the_answer_and_nothing_else_until_it_is_revoked(
    stranger: Browser, guarded_app: FastAPI, world: Runtime, corpus: Corpus
) -> None:
    link = await shared_link(stranger, world, corpus)
    async with browser_of(guarded_app) as client:
        colleague = Browser(client)
        text = await colleague.get(link)
        assert question("Aldra") in text
        assert "The tower of Aldra is painted red." in text
        assert "Shared by visitor" in text
        assert not colleague.page.xpath("//form | //main//a | //header//a | //script | //nav")
        assert colleague.page.xpath("//meta[@name='robots']/@content") == ["noindex, nofollow"]
        response = await client.get(link)
        assert response.headers["x-robots-tag"] == "noindex, nofollow"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert not client.cookies
        await colleague.get(f"{ASK}/{(await newest(world)).id}", 401)
        revoke = next(form.action for form in stranger.page.forms if form.action.endswith("/revoke"))
        assert "Link by visitor" not in await stranger.send(revoke)
        await colleague.get(link, 404)


async def test_links_that_ended_are_as_if_they_had_never_been(
    stranger: Browser, guarded_app: FastAPI, world: Runtime, corpus: Corpus
) -> None:
    async def told(client: httpx.AsyncClient, path: str) -> tuple[int, object]:
        response = await client.get(path, headers={"Accept": "application/json"})
        shown = Browser(client)
        await shown.get(path, 404)
        return response.status_code, shown.page.xpath("string(//main/p)")

    link = await shared_link(stranger, world, corpus)
    async with browser_of(guarded_app) as client:
        assert (await client.get(link)).status_code == 200
        unknown = await told(client, f"{link[:-1]}{'B' if link[-1] == 'A' else 'A'}")
        async with world.database.begin() as session:
            await session.execute(update(AnswerShare).values(expires_at=datetime.now(UTC) - timedelta(minutes=2)))
        assert await told(client, link) == unknown
        async with world.database.begin() as session:
            await session.execute(update(AnswerShare).values(expires_at=datetime.now(UTC) + timedelta(days=2)))
        assert (await client.get(link)).status_code == 200
        async with world.database.begin() as session:
            (key,) = (await key_store.page(session, corpus, cursor=None, limit=9)).items
            await key_store.revoke(session, corpus, key.id)
        assert await told(client, link) == unknown
    async with world.database.begin() as session:
        assert await session.scalar(select(AnswerShare.token_hash)) == digest(link.rpartition("/")[2])


async def test_links_over_http(settings: Settings, world: Runtime, corpus: Corpus) -> None:
    record = await answers.ask(world, corpus, question("Aldra"), AnswerParameters())
    make = f"/v1/corpora/default/answers/{record.id}/shares"
    async with browser_of(create_app(settings, runtime=world)) as client:
        made = await client.post(make, json={"days": 7})
        assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
        share = made.json()
        assert len(share["path"]) >= len("/shared/") + 43
        days = datetime.fromisoformat(share["expires_at"]) - datetime.fromisoformat(share["created_at"])
        assert round(days.total_seconds() / 86_400) == 7
        assert (await client.post(make, headers={"Idempotency-Key": "again"})).status_code == 422
        assert (await client.post(make, json={"days": 366})).status_code == 422
        assert (await client.get(share["path"])).status_code == 200
        (listed,) = (await client.get(SHARES, params={"answer_id": str(record.id)})).json()["items"]
        assert listed == {name: value for name, value in share.items() if name != "path"}
        assert (await client.delete(f"{SHARES}/{share['id']}")).status_code == 204
        assert (await client.delete(f"{SHARES}/{share['id']}")).status_code == 404
        assert (await client.get(share["path"])).status_code == 404
        assert (await client.get(SHARES)).json()["items"] == []
        actions = [event["action"] for event in (await client.get("/v1/corpora/default/audit")).json()["items"]]
        assert {"answer.shared", "answer.share_revoked"} <= set(actions)
