"""Feeds of sources that turn or fall, over HTTP."""

import httpx
import pytest

from api.app import create_app
from registry.corpora.model import Corpus
from registry.keys.schemas import Scope
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.api.pages.conftest import secret_of

PATH = f"{CORPUS}/watches"


@pytest.mark.usefixtures("world")
async def test_a_feed_is_made_followed_listed_and_removed(client: httpx.AsyncClient) -> None:
    everything = await client.post(PATH)
    assert (everything.status_code, everything.json()["source_id"]) == (201, None)
    one = await client.post(PATH, json={"source": "herald"})
    assert (await client.post(PATH, json={"source": "nobody"})).status_code == 404
    paths = [made.json()["path"] for made in (everything, one)]
    for path in paths:
        feed = await client.get(path)
        assert (feed.status_code, feed.headers["content-type"]) == (200, "application/atom+xml")
    listed = await client.get(PATH)
    assert [item["id"] for item in listed.json()["items"]] == [made.json()["id"] for made in (everything, one)]
    assert listed.json()["items"][1]["source_id"] is not None
    assert not any(path.removeprefix("/feeds/") in listed.text for path in paths)
    first = (await client.get(PATH, params={"limit": 1})).json()
    assert len(first["items"]) == 1
    assert first["next_cursor"]
    location = one.headers["location"]
    assert (await client.delete(location)).status_code == 204
    assert (await client.delete(location)).status_code == 404
    assert [(await client.get(path)).status_code for path in paths] == [200, 404]


async def test_a_key_that_reads_removes_only_its_own(settings: Settings, reading: Runtime, corpus: Corpus) -> None:
    app = create_app(settings.model_copy(update={"require_api_keys": True}), runtime=reading)
    first, second, admin = [
        {"Authorization": f"Bearer {await secret_of(reading, corpus, scope)}"}
        for scope in (Scope.READ, Scope.READ, Scope.ADMIN)
    ]
    async with client_of(app) as client:
        made = [(await client.post(PATH, headers=first)).headers["location"] for _ in range(2)]
        assert (await client.delete(made[0], headers=second)).status_code == 403
        assert (await client.delete(made[0], headers=first)).status_code == 204
        assert (await client.delete(made[1], headers=admin)).status_code == 204
