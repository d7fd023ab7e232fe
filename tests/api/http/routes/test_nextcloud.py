"""Nextcloud's Context Chat, as its app (`LangRopeService` of version 5.3) and AppAPI send requests to a backend."""

import base64
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from registry.corpora.model import Corpus
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.registry.world import question

DOOR = f"{CORPUS}/nextcloud"
FILES = "files__default"
BOUNDARY = "2f1c0a9be5d34b6c8a7f"


@dataclass(frozen=True)
class App:
    """The app, whose backend this is."""

    client: httpx.AsyncClient
    secret: str

    def headers(self, user: str = "") -> dict[str, str]:
        """What AppAPI adds to each request (`AppAPICommonService.buildAppAPIAuthHeaders`)."""
        return {
            "AA-VERSION": "32.0.0",
            "EX-APP-ID": "context_chat_backend",
            "EX-APP-VERSION": "5.3.1",
            "AUTHORIZATION-APP-API": base64.b64encode(f"{user}:{self.secret}".encode()).decode(),
            "AA-REQUEST-ID": "CLI",
            "Accept-Language": "en",
        }

    async def post(self, route: str, params: Mapping[str, object] | None = None) -> Any:  # noqa: ANN401  (any JSON)
        """`requestToExApp`, which asks nothing but JSON of what is told."""
        headers = self.headers() | {"Content-Type": "application/json"}
        content = json.dumps(params) if params else b""
        response = await self.client.post(f"{DOOR}{route}", content=content, headers=headers)
        assert response.headers["content-type"].startswith("application/json")
        assert response.status_code == 200, response.text
        return response.json()

    async def load(self, *items: Mapping[str, object]) -> list[str]:
        """`indexSources`, which fails without both lists."""
        headers = self.headers() | {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        response = await self.client.put(f"{DOOR}/loadSources", content=as_guzzle(items), headers=headers)
        assert response.status_code == 200, response.text
        told: dict[str, list[str]] = response.json()
        assert told.keys() == {"loaded_sources", "sources_to_retry"}
        assert told["sources_to_retry"] == []
        return told["loaded_sources"]

    async def search(self, user: str, text: str, **scope: object) -> list[str]:
        """`docSearch`, of which the app reads the ids."""
        found = await self.post("/docSearch", {"query": text, "userId": user} | scope)
        assert all(each.keys() == {"source_id", "title"} for each in found)
        return [each["source_id"] for each in found]

    async def query(self, user: str, text: str, **scope: object) -> tuple[str, list[str]]:
        """`query`; `processResponse` takes a text and a list of ids."""
        told = await self.post("/query", {"query": text, "userId": user, "useContext": True} | scope)
        assert isinstance(told["output"], str)
        return told["output"], told["sources"]


def as_guzzle(items: Sequence[Mapping[str, object]]) -> bytes:
    """The form as Guzzle's `MultipartStream` writes it: own headers first, in UTF-8."""
    parts = []
    for item in items:
        own = {name: item[name] for name in ("userIds", "title", "type", "modified", "provider")}
        disposition = f'form-data; name="sources"; filename="{item["id"]}"'
        headers = own | {"Content-Disposition": disposition, "Content-Type": "application/octet-stream"}
        lines = "\r\n".join(f"{name}: {value}" for name, value in headers.items())
        parts.append(f"--{BOUNDARY}\r\n{lines}\r\n\r\n".encode() + str(item["contents"]).encode() + b"\r\n")
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def file(number: int, path: str, contents: str, *users: str, **changed: object) -> dict[str, object]:
    """A file, as `IndexerJob` makes a `Source` of it."""
    return {
        "id": f"{FILES}: {number}",
        "userIds": ",".join(users),
        "title": path,
        "type": "text/markdown",
        "modified": 1_760_000_000,
        "provider": FILES,
        "contents": contents,
    } | changed


def says(tower: str, colour: str) -> str:
    return f"The tower of {tower} is painted {colour}."


@pytest.fixture
def app(settings: Settings, reading: Runtime) -> FastAPI:
    return create_app(settings.model_copy(update={"require_api_keys": True}), runtime=reading)


async def secret_of(reading: Runtime, corpus: Corpus, *scopes: Scope) -> str:
    async with reading.database.begin() as session:
        _, secret = await keys.create(session, corpus, KeyInput(name="nextcloud", scopes=frozenset(scopes)))
    return secret


@pytest.fixture
async def nextcloud(app: FastAPI, reading: Runtime, corpus: Corpus) -> AsyncIterator[App]:
    async with client_of(app) as client:
        yield App(client, await secret_of(reading, corpus, Scope.ADMIN))


ALICE = file(1, "files/Diary/today.md", says("Aldra", "red"), "alice")
BOTH = file(2, "files/Überblick/Türme.md", says("Brin", "blue"), "alice", "bob")
BOB = file(3, "files/notes.md", says("Corvo", "green"), "bob")
MAIL = file(4, "Re: 1/2 towers", says("Delm", "white"), "bob", id="mail__mail: 7:12", provider="mail__mail")
IDS = [str(item["id"]) for item in (ALICE, BOTH, BOB, MAIL)]


async def test_the_backend_is_turned_on(nextcloud: App) -> None:
    headers = nextcloud.headers()
    assert (await nextcloud.client.get(f"{DOOR}/enabled", headers=headers)).json()["enabled"] is True
    turned_on = await nextcloud.client.put(f"{DOOR}/enabled?enabled=1", headers=headers)
    assert (turned_on.status_code, turned_on.json()["error"]) == (200, "")
    init = await nextcloud.client.post(f"{DOOR}/init", headers=headers)
    assert init.status_code == 404, "AppAPI takes this for the end of initialisation"


async def test_the_secret_is_an_api_key(nextcloud: App, reading: Runtime, corpus: Corpus) -> None:
    for secret in ("crd_wrong", "12345", ""):
        response = await nextcloud.client.get(f"{DOOR}/enabled", headers=App(nextcloud.client, secret).headers())
        assert (response.status_code, list(response.json())) == (401, ["error", "code"])
    headers = nextcloud.headers() | {"AUTHORIZATION-APP-API": "no base64"}
    assert (await nextcloud.client.get(f"{DOOR}/enabled", headers=headers)).status_code == 401
    reader = App(nextcloud.client, await secret_of(reading, corpus, Scope.READ))
    refused = await reader.client.post(f"{DOOR}/deleteProvider", json={"providerKey": FILES}, headers=reader.headers())
    assert refused.status_code == 403
    assert "`admin`" in refused.json()["error"]


async def test_users_are_told_of_their_own_items(nextcloud: App) -> None:
    assert await nextcloud.post("/countIndexedDocuments") == {}
    assert await nextcloud.load(ALICE, BOTH, BOB, MAIL) == sorted(IDS)
    assert await nextcloud.post("/countIndexedDocuments") == {FILES: 3, "mail__mail": 1}
    assert set(await nextcloud.search("alice", "tower")) == {IDS[0], IDS[1]}
    assert set(await nextcloud.search("bob", "tower")) == {IDS[1], IDS[2], IDS[3]}
    assert await nextcloud.search("carol", "tower") == []
    assert len(await nextcloud.search("bob", "tower", ctxLimit=1)) == 1
    titles = await nextcloud.post("/docSearch", {"query": question("Brin"), "userId": "alice", "ctxLimit": 1})
    assert titles == [{"source_id": IDS[1], "title": "Türme.md"}]
    output, sources = await nextcloud.query("alice", question("Aldra"))
    assert "red" in output
    assert sources == [IDS[0]]
    for user in ("bob", "carol"):
        output, sources = await nextcloud.query(user, question("Aldra"))
        assert "red" not in output
        assert "Diary" not in output
        assert sources == []


async def test_folders_and_providers_are_sources(nextcloud: App) -> None:
    await nextcloud.load(ALICE, BOTH, BOB, MAIL)
    bearer = {"Authorization": f"Bearer {nextcloud.secret}"}
    listed = (await nextcloud.client.get(f"{CORPUS}/sources", headers=bearer)).json()["items"]
    names = {FILES, f"{FILES}: Diary", f"{FILES}: Überblick", "mail__mail"}
    assert {source["external_id"] for source in listed} == names
    path = f"{CORPUS}/sources/{FILES}/documents"
    (document,) = (await nextcloud.client.get(path, headers=bearer)).json()["items"]
    assert (document["title"], document["allowed_groups"]) == ("notes.md", ["nextcloud:bob"])
    assert document["published_at"] == "2025-10-09T08:53:20Z"
    await nextcloud.load(file(3, "files/Diary/notes.md", says("Corvo", "green"), "bob"))
    assert (await nextcloud.client.get(path, headers=bearer)).json()["items"] == []
    assert await nextcloud.post("/countIndexedDocuments") == {FILES: 3, "mail__mail": 1}
    assert await nextcloud.search("bob", question("Corvo"), ctxLimit=1) == [IDS[2]]


async def test_a_scope_is_of_providers_or_of_items(nextcloud: App) -> None:
    await nextcloud.load(ALICE, BOTH, BOB, MAIL)
    mail: dict[str, object] = {"scopeType": "provider", "scopeList": ["mail__mail"]}
    one: dict[str, object] = {"scopeType": "source", "scopeList": [IDS[2], IDS[0]]}
    assert await nextcloud.search("bob", "tower", **mail) == [IDS[3]]
    assert await nextcloud.search("bob", "tower", **one) == [IDS[2]]
    assert "white" in (await nextcloud.query("bob", question("Delm"), **mail))[0]
    assert "blue" not in (await nextcloud.query("bob", question("Brin"), **mail))[0]
    assert "green" in (await nextcloud.query("bob", question("Corvo"), **one))[0]
    assert "blue" not in (await nextcloud.query("bob", question("Brin"), **one))[0]
    assert "red" not in (await nextcloud.query("bob", question("Aldra"), **one))[0]
    nothing = {"scopeType": "provider", "scopeList": ["deck__deck"]}
    assert (await nextcloud.query("bob", question("Brin"), **nothing))[1] == []
    refused = await nextcloud.client.post(
        f"{DOOR}/docSearch", json={"query": "x", "userId": "bob", "scopeType": "source"}, headers=nextcloud.headers()
    )
    assert refused.status_code == 422
    assert "scopeList" in refused.json()["error"]


async def test_a_scope_of_too_many_folders_is_refused(nextcloud: App, monkeypatch: pytest.MonkeyPatch) -> None:
    await nextcloud.load(ALICE, BOTH, BOB, file(5, "files/a\tb/c.md", says("Esk", "grey"), "bob"))
    files = {"scopeType": "provider", "scopeList": [FILES]}
    assert "grey" in (await nextcloud.query("bob", question("Esk"), **files))[0]
    monkeypatch.setattr("api.http.routes.nextcloud.MAX_SOURCES", 2)
    body = {"query": "x", "userId": "bob"} | files
    refused = await nextcloud.client.post(f"{DOOR}/query", json=body, headers=nextcloud.headers())
    assert refused.status_code == 422
    assert "folders" in refused.json()["error"]


async def test_access_changes(nextcloud: App) -> None:
    await nextcloud.load(ALICE, BOTH, BOB, MAIL)

    async def seen() -> dict[str, set[int]]:
        found = {user: await nextcloud.search(user, "tower") for user in ("alice", "bob", "carol")}
        return {user: {IDS.index(item) for item in items} for user, items in found.items()}

    await nextcloud.post("/updateAccess", {"op": "allow", "userIds": ["carol", "bob"], "sourceId": IDS[0]})
    assert await seen() == {"alice": {0, 1}, "bob": {0, 1, 2, 3}, "carol": {0}}
    assert "red" in (await nextcloud.query("carol", question("Aldra")))[0]
    await nextcloud.post("/updateAccess", {"op": "deny", "userIds": ["carol", "alice"], "sourceId": IDS[0]})
    assert await seen() == {"alice": {1}, "bob": {0, 1, 2, 3}, "carol": set()}
    assert "red" not in (await nextcloud.query("alice", question("Aldra")))[0]
    await nextcloud.post("/updateAccessDeclarative", {"userIds": ["carol"], "sourceId": IDS[1]})
    assert await seen() == {"alice": set(), "bob": {0, 2, 3}, "carol": {1}}
    await nextcloud.post("/updateAccessProvider", {"op": "allow", "userIds": ["alice"], "providerId": FILES})
    assert await seen() == {"alice": {0, 1, 2}, "bob": {0, 2, 3}, "carol": {1}}
    # What is sent again is for those who may see it then.
    await nextcloud.load(ALICE)
    assert await seen() == {"alice": {0, 1, 2}, "bob": {2, 3}, "carol": {1}}
    await nextcloud.post("/updateAccess", {"op": "deny", "userIds": ["alice"], "sourceId": "files__default: 99"})
    await nextcloud.post("/updateAccessProvider", {"op": "deny", "userIds": ["alice"], "providerId": FILES})
    assert await seen() == {"alice": set(), "bob": {2, 3}, "carol": {1}}
    assert await nextcloud.post("/countIndexedDocuments") == {FILES: 2, "mail__mail": 1}, "for nobody: removed"
    for both in ({}, {"sourceId": IDS[1], "providerId": FILES}):
        body = {"userIds": ["alice"]} | both
        refused = await nextcloud.client.post(f"{DOOR}/updateAccess", json=body, headers=nextcloud.headers())
        assert refused.status_code == 422
    await nextcloud.post("/deleteUser", {"userId": "carol"})
    assert await nextcloud.post("/countIndexedDocuments") == {FILES: 1, "mail__mail": 1}
    await nextcloud.post("/deleteSources", {"sourceIds": [IDS[3], "files__default: 99"]})
    assert await nextcloud.post("/countIndexedDocuments") == {FILES: 1}
    await nextcloud.post("/deleteProvider", {"providerKey": FILES})
    assert await nextcloud.post("/countIndexedDocuments") == {}


async def test_items_are_read_again_once_they_are_newer(nextcloud: App) -> None:
    await nextcloud.load(ALICE)
    changed = ALICE | {"contents": says("Aldra", "black")}
    assert await nextcloud.load(changed) == [IDS[0]], "what is stored already is told as loaded"
    assert "red" in (await nextcloud.query("alice", question("Aldra")))[0]
    await nextcloud.load(changed | {"modified": 1_760_000_001})
    assert "black" in (await nextcloud.query("alice", question("Aldra")))[0]


async def test_items_that_cannot_be_read_cost_no_other_its_place(nextcloud: App) -> None:
    broken = file(8, "files/scan.pdf", "no PDF", "alice", type="application/pdf")
    nobody = file(9, "files/lost.md", says("Esk", "grey"))
    assert await nextcloud.load(broken, ALICE, nobody) == [IDS[0]]
    assert await nextcloud.load(ALICE | {"userIds": ""}) == []
    assert await nextcloud.post("/countIndexedDocuments") == {}
    for wrong in ({"modified": "yesterday"}, {"id": "555"}, {"provider": ""}):
        headers = nextcloud.headers() | {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        content = as_guzzle([ALICE | wrong])
        response = await nextcloud.client.put(f"{DOOR}/loadSources", content=content, headers=headers)
        assert response.status_code == 422
        assert "item" in response.json()["error"]


async def test_documents_of_others_are_not_touched(nextcloud: App) -> None:
    """Documents for everybody answer, and are no items of Nextcloud."""
    bearer = {"Authorization": f"Bearer {nextcloud.secret}"}
    await nextcloud.client.post(f"{CORPUS}/sources", json={"name": "Herald"}, headers=bearer)
    path = f"{CORPUS}/sources/Herald/documents"
    body = {"external_id": IDS[0], "content": says("Esk", "grey"), "attributes": {"provider": FILES}}
    assert (await nextcloud.client.post(path, json=body, headers=bearer)).status_code == 201
    await nextcloud.load(BOTH)
    output, _ = await nextcloud.query("alice", question("Esk"))
    assert "grey" in output
    assert await nextcloud.search("alice", "tower") == [IDS[1]]
    await nextcloud.post("/deleteSources", {"sourceIds": [IDS[0]]})
    await nextcloud.post("/deleteProvider", {"providerKey": FILES})
    assert len((await nextcloud.client.get(path, headers=bearer)).json()["items"]) == 1
