"""Estimations over HTTP: asked for, followed, cancelled, read down to the votes."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from api.app import create_app
from registry.estimations import service as estimation
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.registry.world import TOWERS

Problem = Callable[[httpx.Response, int], dict[str, Any]]
UNKNOWN = "0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c"


def events(text: str) -> list[dict[str, str]]:
    """The fields of each event of a stream, comments and all."""
    blocks = [block for block in text.split("\n\n") if block]
    return [dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":")) for block in blocks]


async def started(client: httpx.AsyncClient, body: object = None) -> httpx.Response:
    return await client.post(f"{CORPUS}/estimations", json=body)


async def finish(client: httpx.AsyncClient, runtime: Runtime) -> str:
    """Start an estimation, do its job, return its address."""
    response = await started(client)
    await estimation.run(runtime, response.json()["id"])
    return str(response.headers["location"])


async def test_an_estimation_is_accepted_and_polled(client: httpx.AsyncClient, world: Runtime) -> None:
    accepted = await started(client, {"parameters": {"method": "majority"}})
    assert accepted.status_code == 202
    assert int(accepted.headers["retry-after"]) > 0
    address = accepted.headers["location"]
    waiting = await client.get(address)
    assert waiting.json()["status"] == "queued"
    assert waiting.headers["retry-after"]
    await estimation.run(world, accepted.json()["id"])
    done = await client.get(address)
    assert "retry-after" not in done.headers
    answer = done.json()
    assert answer["status"] == "succeeded"
    assert answer["outcome"]["method"] == "majority"
    assert answer["progress"]["queries_collected"] == answer["progress"]["queries_total"] == len(TOWERS)
    assert answer["progress"]["votes_total"] == 3 * len(TOWERS)
    assert answer["problem"] is None
    assert [run["id"] for run in (await client.get(f"{CORPUS}/estimations")).json()["items"]] == [answer["id"]]


async def test_parameters_are_checked(client: httpx.AsyncClient, problem: Problem) -> None:
    for wrong in ({"labels": 1}, {"methods": "iwmv"}, {"method": "magic"}, {"max_rounds": 0}, {"labels": "x"}):
        problem(await started(client, {"parameters": wrong}), 422)
    problem(await started(client, {"labels": 9}), 422)


async def test_the_votes_tell_why_and_the_run_what_more_queries_would_bring(
    client: httpx.AsyncClient, problem: Problem, world: Runtime
) -> None:
    address = await finish(client, world)
    sources = (await client.get(f"{address}/sources")).json()["items"]
    assert [source["source_name"] for source in sources][-1] == "Rumour"
    assert sources[0]["reliability"] > sources[-1]["reliability"]
    first = (await client.get(f"{address}/queries?limit=4")).json()
    second = (await client.get(f"{address}/queries?limit=4&cursor={first['next_cursor']}")).json()
    queries = first["items"] + second["items"]
    assert len(queries) == len(TOWERS)
    aldra = next(query for query in queries if "Aldra" in query["query_text"])
    assert aldra["answer"] == "red"
    votes = (await client.get(f"{address}/queries/{aldra['query_id']}/votes")).json()["items"]
    assert sorted(vote["answer"] for vote in votes) == ["purple", "red", "red"]
    assert all(vote["status"] == "answered" and vote["document_ids"] for vote in votes)
    problem(await client.get(f"{address}/queries/{UNKNOWN}/votes"), 404)
    more = (await client.get(address)).json()["more_queries"]
    assert more["queries"] == 20
    assert 0 < more["expected_width"] < more["width"] < 1
    assert {source["source_name"] for source in more["sources"]} == {"Herald", "Gazette", "Rumour"}
    assert (await client.get(f"{CORPUS}/estimations")).json()["items"][0]["more_queries"] is None


async def test_a_queued_run_can_be_cancelled(client: httpx.AsyncClient, problem: Problem, world: Runtime) -> None:
    accepted = await started(client)
    address = accepted.headers["location"]
    cancelled = await client.post(f"{address}:cancel")
    assert cancelled.status_code == 202
    assert cancelled.json()["cancel_requested"] is True
    await estimation.run(world, accepted.json()["id"])
    assert (await client.get(address)).json()["status"] == "cancelled"
    problem(await client.post(f"{address}:cancel"), 409)
    assert (await started(client)).status_code == 202


async def test_a_run_is_followed_and_resumed(client: httpx.AsyncClient, world: Runtime) -> None:
    address = await finish(client, world)
    response = await client.get(f"{address}/events")
    assert response.headers["content-type"].startswith("text/event-stream")
    steps = [step for step in events(response.text) if "event" in step]
    progress = ["progress"] * len(TOWERS)
    assert [step["event"] for step in steps] == ["queued", "running", "forecast", *progress, "succeeded"]
    assert json.loads(steps[2]["data"])["data"]["readings"] == 3 * len(TOWERS)
    assert json.loads(steps[3]["data"])["data"]["queries_collected"] == 1
    ids = [int(step["id"]) for step in steps]
    assert ids == sorted(ids)
    rest = await client.get(f"{address}/events", headers={"Last-Event-ID": steps[3]["id"]})
    assert [step for step in events(rest.text) if "event" in step] == steps[4:]
    over = await client.get(f"{address}/events", headers={"Last-Event-ID": steps[-1]["id"]})
    assert over.status_code == 204
    assert over.content == b""


@pytest.mark.usefixtures("world")
async def test_odd_event_ids_are_refused(client: httpx.AsyncClient, problem: Problem) -> None:
    address = (await started(client)).headers["location"]
    for last in ("x", "-1", "9" * 30, "9" * 5000, "1.5", "\x01"):
        problem(await client.get(f"{address}/events", headers={"Last-Event-ID": last}), 422)


async def test_unknown_runs(client: httpx.AsyncClient, problem: Problem) -> None:
    for path in ("", "/events", "/sources", "/queries", f"/queries/{UNKNOWN}/votes"):
        problem(await client.get(f"{CORPUS}/estimations/{UNKNOWN}{path}"), 404)
    problem(await client.post(f"{CORPUS}/estimations/{UNKNOWN}:cancel"), 404)


async def test_without_a_reader_the_setting_is_named(settings: Settings, runtime: Runtime, problem: Problem) -> None:
    bare = Runtime(settings, runtime.database, runtime.embedder, None, runtime.jobs)
    async with client_of(create_app(settings, runtime=bare)) as client:
        for path, body in (("estimations", {}), ("answers", {"question": "Where?"})):
            answer = problem(await client.post(f"{CORPUS}/{path}", json=body), 503)
            assert answer["type"] == "/problems/not-configured"
            assert "CREDENCE_READER" in answer["detail"]


async def test_a_schedule_from_beginning_to_end(client: httpx.AsyncClient, problem: Problem) -> None:
    values = {"name": "nightly", "cron": "0 3 * * *", "timezone": "Europe/Oslo"}
    created = await client.post(f"{CORPUS}/schedules", json=values)
    assert created.status_code == 201, created.text
    assert values.items() <= created.json().items()
    assert len(created.json()["next_runs"]) == 3
    address = created.headers["location"]
    off = await client.patch(address, json={"enabled": False})
    assert off.json()["next_runs"] == []
    assert (await client.get(address)).json() == off.json()
    problem(await client.post(f"{CORPUS}/schedules", json=values), 409)
    for wrong in (
        {"cron": "* * *"},
        {"cron": "61 * * * *"},
        {"cron": "0 0 30 2 *"},
        {"timezone": "Mars/Olympus"},
        {"timezone": "../etc/passwd"},
    ):
        problem(await client.post(f"{CORPUS}/schedules", json={**values, "name": "other", **wrong}), 422)
    assert len((await client.get(f"{CORPUS}/schedules")).json()["items"]) == 1
    assert (await client.delete(address)).status_code == 204
    problem(await client.get(address), 404)
