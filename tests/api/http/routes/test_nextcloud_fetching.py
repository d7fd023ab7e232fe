"""Context Chat of Nextcloud 5.5, whose backend fetches what there is to do."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from api.client.nextcloud import Bridge, NextcloudFailed, open_bridge
from registry.corpora.model import Corpus
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.fakes.nextcloud import VERSION, FakeNextcloud
from tests.registry.world import question

FILES = "files__default"
SEARCH = "_search"


def says(tower: str, colour: str) -> str:
    return f"The tower of {tower} is painted {colour}."


@pytest.fixture
def app(settings: Settings, reading: Runtime) -> FastAPI:
    return create_app(settings.model_copy(update={"require_api_keys": True}), runtime=reading)


@pytest.fixture
async def cloud(reading: Runtime, corpus: Corpus) -> FakeNextcloud:
    async with reading.database.begin() as session:
        _, secret = await keys.create(session, corpus, KeyInput(name="nextcloud", scopes=frozenset({Scope.ADMIN})))
    return FakeNextcloud(secret)


def between(client: httpx.AsyncClient, app: FastAPI) -> httpx.AsyncClient:
    """The client, whose requests an application in this process answers."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=client.base_url, headers=client.headers)


@pytest.fixture
async def bridge(app: FastAPI, cloud: FakeNextcloud, corpus: Corpus) -> AsyncIterator[Bridge]:
    async with AsyncExitStack() as stack:
        opened = open_bridge("http://cloud.test", VERSION, "http://127.0.0.1", corpus.name, cloud.secret)
        there = await stack.enter_async_context(opened)
        yield Bridge(
            await stack.enter_async_context(between(there.cloud, cloud.app())),
            await stack.enter_async_context(between(there.door, app)),
        )


async def test_items_are_fetched_for_their_users_and_their_questions_answered(
    bridge: Bridge, cloud: FakeNextcloud
) -> None:
    cloud.queue(7, f"{FILES}: 1", "files/Diary/Überblick.md", says("Aldra", "red"), "alice")
    cloud.queue(8, f"{FILES}: 2", "files/Press/Brin.md", says("Brin", "blue"), "alice", "bob")
    cloud.queue(7, "mail__mail: 7:12", "Re:\r\ntowers", says("Delm", "white"), "bob")
    assert await bridge.turn() == 3
    assert (cloud.files, cloud.others, bridge.refused) == ({}, {}, [])
    assert cloud.asked == ["1 of alice", "2 of alice"]

    cloud.ask(1, "alice", question("Aldra"))
    cloud.ask(2, "bob", question("Aldra"))
    cloud.ask(3, "bob", "tower", SEARCH)
    assert await bridge.turn() == 3
    answer = cloud.results[1]["output"]
    assert "red" in answer["output"]
    assert [json.loads(source) for source in answer["sources"]] == [
        {"id": f"{FILES}: 1", "label": "x", "url": "/alice"}
    ]
    assert "red" not in cloud.results[2]["output"]["output"]
    found = [json.loads(source)["id"] for source in cloud.results[3]["output"]["sources"]]
    assert set(found) == {f"{FILES}: 2", "mail__mail: 7:12"}
    assert await bridge.turn() == 0


async def test_a_scope_is_of_providers_or_of_items_and_folders(bridge: Bridge, cloud: FakeNextcloud) -> None:
    cloud.queue(1, f"{FILES}: 1", "files/a/x.md", says("Aldra", "red"), "bob")
    cloud.queue(2, f"{FILES}: 2", "files/b/y.md", says("Brin", "blue"), "bob")
    cloud.queue(3, "mail__mail: 3", "z", says("Delm", "white"), "bob")
    cloud.folders[f"{FILES}: 99"] = [f"{FILES}: 2"]
    cloud.ask(1, "bob", "tower", SEARCH, scopeType="provider", scopeList=["mail__mail"])
    cloud.ask(2, "bob", "tower", SEARCH, scopeType="source", scopeList=[f"{FILES}: 99"])
    cloud.ask(3, "bob", question("Brin"), scopeType="source", scopeList=[f"{FILES}: 1"])
    cloud.folders[f"{FILES}: 98"] = []
    cloud.ask(4, "bob", question("Brin"), scopeType="source", scopeList=[f"{FILES}: 98"])
    await bridge.turn()
    found = {
        number: [json.loads(source)["id"] for source in cloud.results[number]["output"]["sources"]] for number in (1, 2)
    }
    assert found == {1: ["mail__mail: 3"], 2: [f"{FILES}: 2"]}
    assert "blue" not in cloud.results[3]["output"]["output"]
    assert cloud.results[4]["output"] is None
    assert "scopeList" in cloud.results[4]["errorMessage"]


async def test_removals_and_changes_of_access_count_before_what_is_new(bridge: Bridge, cloud: FakeNextcloud) -> None:
    for number, user in enumerate(("alice", "bob", "carol"), 1):
        cloud.queue(number, f"{FILES}: {number}", f"files/{number}.md", says("Aldra", "red"), user)
    cloud.queue(4, "mail__mail: 4", "z", says("Delm", "white"), "dan")
    await bridge.turn()

    async def seen(*users: str) -> dict[str, set[str]]:
        for number, user in enumerate(users):
            cloud.ask(number, user, "tower", SEARCH)
        await bridge.turn()
        sources = {user: cloud.results[number]["output"]["sources"] for number, user in enumerate(users)}
        return {user: {json.loads(source)["id"][-1] for source in of} for user, of in sources.items()}

    cloud.act(1, "update_access_source_id", op="allow", userIds=["eve"], sourceId=f"{FILES}: 1")
    cloud.act(2, "update_access_decl_source_id", userIds=["eve"], sourceId=f"{FILES}: 2")
    cloud.act(3, "update_access_provider_id", op="deny", userIds=["carol"], providerId=FILES)
    cloud.act(4, "delete_provider_id", providerId="mail__mail")
    assert await seen("alice", "bob", "carol", "dan", "eve") == {
        "alice": {"1"}, "bob": set(), "carol": set(), "dan": set(), "eve": {"1", "2"}
    }  # fmt: skip
    cloud.act(5, "delete_source_ids", sourceIds=[f"{FILES}: 1"])
    cloud.act(6, "delete_user_id", userId="eve")
    cloud.act(7, "of_another_version", userId="eve")
    assert await seen("alice", "eve") == {"alice": set(), "eve": set()}
    assert cloud.actions == {}
    assert bridge.refused == [] or "of_another_version" in bridge.refused[0]


async def test_what_cannot_be_read_is_left_out_and_the_rest_is_there(bridge: Bridge, cloud: FakeNextcloud) -> None:
    cloud.queue(1, f"{FILES}: 1", "files/large.md", "x", "alice", size=11 * 2**20)
    cloud.queue(2, f"{FILES}: 2", "files/gone.md", "x", "alice")
    del cloud.contents[2]
    cloud.queue(3, f"{FILES}: 3", "files/scan.pdf", "no PDF", "alice", type="application/pdf")
    cloud.queue(4, "no id", "z", "x", "alice")
    cloud.queue(5, f"{FILES}: 5", "files/a.md", says("Aldra", "red"), "alice")
    assert await bridge.turn() == 5
    assert (cloud.files, cloud.others) == ({}, {})
    assert [reason.partition(": It ")[0] for reason in bridge.refused[:2]] == [f"{FILES}: 1", f"{FILES}: 2"]
    assert bridge.refused[2].startswith("no id: ")
    cloud.ask(1, "alice", question("Aldra"))
    await bridge.turn()
    assert "red" in cloud.results[1]["output"]["output"]


async def test_where_either_side_fails_it_is_tried_again(bridge: Bridge, cloud: FakeNextcloud) -> None:
    cloud.queue(1, f"{FILES}: 1", "files/a.md", says("Aldra", "red"), "alice")
    broken = FastAPI()
    for there in (
        replace(bridge, cloud=between(bridge.cloud, broken)),
        replace(bridge, door=httpx.AsyncClient(transport=bridge.door._transport, base_url=bridge.door.base_url)),
    ):
        with pytest.raises(NextcloudFailed, match=r"answers (404|401)"):
            await there.turn()
    assert 1 in cloud.files
    assert await bridge.turn() == 0, "it is locked"
    cloud.unlock()
    assert await bridge.turn() == 1
    assert (await bridge.door.post("countIndexedDocuments")).json() == {FILES: 1}
