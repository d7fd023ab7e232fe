"""Webhooks over HTTP."""

from dataclasses import replace
from ipaddress import ip_network

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from registry.corpora import store as corpora
from registry.corpora.schemas import CorpusInput
from registry.platform.settings import Settings
from registry.runtime import Runtime
from registry.webhooks import service as webhooks
from tests.api.http.conftest import CORPUS
from tests.fakes.web_server import FakeWebServer, Reply
from tests.tables import for_each

PATH = f"{CORPUS}/webhooks"


@pytest.fixture
def local(settings: Settings, reading: Runtime) -> Runtime:
    """A service whose webhooks may be on this machine."""
    return replace(reading, settings=settings.model_copy(update={"webhook_networks": (ip_network("127.0.0.0/8"),)}))


@pytest.fixture
def app(local: Runtime) -> FastAPI:
    return create_app(local.settings, runtime=local)


async def test_a_webhook_is_made_tried_changed_and_deleted(client: httpx.AsyncClient, local: Runtime) -> None:
    async with FakeWebServer() as web:
        web.pages["/hook"] = Reply("Thanks.")
        created = await client.post(PATH, json={"url": f"{web.url}/hook"})
        assert created.status_code == 201, created.text
        location, secret = created.headers["location"], created.json()["secret"]
        assert len(created.json()["events"]) == 5
        queued = await client.post(f"{location}:test", headers={"Idempotency-Key": "a"})
        assert (queued.status_code, queued.json()["status"]) == (202, "pending")
        await webhooks.send(local, queued.json()["id"])
        (delivered,) = (await client.get(f"{location}/deliveries")).json()["items"]
        assert (delivered["id"], delivered["status"], delivered["attempts"]) == (queued.json()["id"], "succeeded", 1)
        assert [headers["webhook-id"] for headers, _ in web.posts] == [delivered["id"]]
    patched = await client.patch(location, json={"events": ["source.turned"], "enabled": False})
    assert (patched.status_code, patched.json()["events"], patched.json()["enabled"]) == (200, ["source.turned"], False)
    shown = [await client.get(location), await client.get(PATH), patched, await client.get(f"{CORPUS}/audit")]
    assert all(secret not in response.text for response in shown)
    changes = {each["action"]: each for each in shown[3].json()["items"]}
    assert changes["webhook.created"]["after"]["host"] == "127.0.0.1"
    assert "/hook" not in shown[3].text
    assert (await client.delete(location)).status_code == 204
    for gone in (await client.get(location), await client.get(f"{location}/deliveries")):
        assert gone.status_code == 404


async def test_a_webhook_is_not_there_for_another_corpus(client: httpx.AsyncClient, local: Runtime) -> None:
    async with local.database.begin() as session:
        await corpora.create(session, CorpusInput(name="other"))
    made = (await client.post(PATH, json={"url": "http://127.0.0.1/"})).json()["id"]
    other = f"/v1/corpora/other/webhooks/{made}"
    answers = [
        await client.get(other),
        await client.get(f"{other}/deliveries"),
        await client.patch(other, json={"enabled": False}),
        await client.post(f"{other}:test"),
        await client.delete(other),
    ]
    assert [answer.status_code for answer in answers] == [404] * 5
    assert (await client.get("/v1/corpora/other/webhooks")).json()["items"] == []
    assert (await client.get(f"{PATH}/{made}")).json()["enabled"] is True


@for_each(
    ("values", "why"),
    [
        (
            {"url": "http://10.0.0.1/"},
            "10.0.0.1 is not a public address, and not in one of the networks of CREDENCE_WEB",
        ),
        ({"url": "ftp://a.example/"}, "must begin with http"),
        ({"url": "https://me:secret@a.example/"}, "user name or password"),
        ({"url": "https://a.example/", "events": ["everything"]}, "estimation.succeeded"),
        ({"url": "https://a.example/", "events": []}, "at least 1 item"),
        ({}, "url"),
    ],
)
async def test_bad_input_is_told(client: httpx.AsyncClient, values: dict[str, object], why: str) -> None:
    refused = await client.post(PATH, json=values)
    assert refused.status_code == 422
    assert why in refused.text


async def test_a_response_with_a_secret_is_not_kept(client: httpx.AsyncClient) -> None:
    refused = await client.post(PATH, json={"url": "http://127.0.0.1/"}, headers={"Idempotency-Key": "a"})
    assert (refused.status_code, "secret" in refused.text) == (422, True)
