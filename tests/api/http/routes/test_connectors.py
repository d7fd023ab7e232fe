"""Connectors over HTTP."""

from pathlib import Path
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from registry.connectors import service as connectors
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.tables import for_each

PATH = f"{CORPUS}/connectors"


@pytest.fixture
def app(settings: Settings, reading: Runtime, tmp_path: Path) -> FastAPI:
    """The service, on whose machine one folder may be read."""
    opened = settings.model_copy(update={"connector_folder": tmp_path})
    runtime = Runtime(opened, reading.database, reading.embedder, reading.reader, reading.jobs)
    return create_app(opened, runtime=runtime)


async def test_a_connector_is_made_run_reported_and_deleted(
    client: httpx.AsyncClient, reading: Runtime, tmp_path: Path
) -> None:
    (tmp_path / "red.txt").write_text("The tower is red.")
    (tmp_path / "bad.txt").write_bytes(b"\x00")
    values = {"name": "press", "kind": "folder", "config": {"path": str(tmp_path), "source": "Herald"}}
    created = await client.post(PATH, json=values | {"cron": "0 3 * * *"})
    assert created.status_code == 201, created.text
    location = created.headers["location"]
    view = created.json()
    assert (view["status"], view["report"], view["cron"], len(view["next_runs"])) == (None, None, "0 3 * * *", 3)
    assert (await client.post(PATH, json=values)).status_code == 409
    queued = await client.post(f"{location}:run")
    assert (queued.status_code, queued.json()["status"]) == (202, "queued")
    assert (await client.post(f"{location}:run")).status_code == 409
    assert "retry-after" in (await client.get(location)).headers
    await connectors.run(reading, view["id"])
    done = (await client.get(location)).json()
    assert (done["status"], done["report"]["created"], done["report"]["failed"]) == ("succeeded", 1, 1)
    assert done["report"]["problems"] == [
        {"location": "bad.txt", "error": "The content is binary, not text.", "external_id": None}
    ]
    assert [item["name"] for item in (await client.get(PATH)).json()["items"]] == ["press"]
    assert (await client.delete(location)).status_code == 204
    assert (await client.get(location)).status_code == 404
    assert (await client.get(f"{CORPUS}/schedules")).json()["items"] == []


@for_each(
    ("values", "why"),
    [
        ({"kind": "folder", "config": {"path": "/etc"}}, "not in the folder"),
        ({"kind": "table", "config": {"path": "/etc/passwd"}}, "not in the folder"),
        ({"kind": "table", "config": {"path": "rows.csv"}}, "is relative"),
        ({"kind": "feed", "config": {"urls": ["gopher://x"]}}, "must begin with http"),
        ({"kind": "feed", "config": {"urls": ["https://me:secret@x.example/feed"]}}, "user name or password"),
        (
            {"kind": "pages", "config": {"urls": ["https://\U0001d4e3\U0001d4f1e fox/"]}},
            "no address that can be fetched",
        ),
        ({"kind": "pages", "config": {"sitemap": ""}}, "is empty"),
        ({"kind": "mail", "config": {}}, "folder"),
    ],
)
async def test_what_may_not_be_read_is_refused(client: httpx.AsyncClient, values: dict[str, object], why: str) -> None:
    refused = await client.post(PATH, json={"name": "x", **values})
    assert refused.status_code == 422
    assert why in refused.text


async def test_a_connector_is_changed_between_its_runs(
    client: httpx.AsyncClient, reading: Runtime, tmp_path: Path
) -> None:
    (tmp_path / "red.txt").write_text("The tower is red.")
    config = {"path": str(tmp_path), "source": "Herald"}
    values = {"name": "press", "kind": "folder", "config": config}
    location = (await client.post(PATH, json=values)).headers["location"]
    timed = (await client.patch(location, json={"cron": "0 3 * * *", "timezone": "Europe/Oslo"})).json()
    assert (timed["cron"], timed["config"]) == ("0 3 * * *", config)
    [schedule] = (await client.get(f"{CORPUS}/schedules")).json()["items"]
    assert (schedule["name"], schedule["timezone"]) == ("connector press", "Europe/Oslo")
    assert (await client.patch(location, json={"timezone": "UTC"})).json()["cron"] == "0 3 * * *"
    assert (await client.patch(location, json={"cron": None})).json()["cron"] is None
    assert (await client.get(f"{CORPUS}/schedules")).json()["items"] == []
    await client.post(f"{location}:run")
    assert (await client.patch(location, json={"cron": "0 3 * * *"})).status_code == 409
    await connectors.run(reading, UUID(location.rpartition("/")[2]))
    moved = config | {"source": "Gazette"}
    assert (await client.patch(location, json={"config": moved})).json()["config"] == moved
    await client.post(f"{location}:run")
    await connectors.run(reading, UUID(location.rpartition("/")[2]))
    report = (await client.get(location)).json()["report"]
    assert (report["created"], report["deleted"], report["not_modified"]) == (1, 1, 0)
    for wrong, why in (({"path": "/etc"}, "not in the folder"), ({}, "path"), ({"path": "x"}, "is relative")):
        refused = await client.patch(location, json={"config": wrong})
        assert (refused.status_code, why in refused.text) == (422, True)
    actions = [event["action"] for event in (await client.get(f"{CORPUS}/audit")).json()["items"]]
    assert "connector.changed" in actions
