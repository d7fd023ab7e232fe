"""Estimations over HTTP: asked for, followed, cancelled, read down to the votes."""

import asyncio
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import httpx
import pytest

from api.app import create_app
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.estimates import make_current
from registry.estimations.store.votes import previous_run
from registry.platform.enums import Trigger
from registry.platform.errors import Conflict
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


RUNS = f"{CORPUS}/estimations"


async def estimated(client: httpx.AsyncClient, runtime: Runtime, method: str) -> dict[str, Any]:
    """A run by this method."""
    queued = (await client.post(RUNS, json={"parameters": {"method": method}})).json()
    await estimation.run(runtime, queued["id"])
    return dict((await client.get(f"{RUNS}/{queued['id']}")).json())


async def weighed_by(client: httpx.AsyncClient) -> tuple[str, float]:
    """By which run an answer is weighed, and the reliability of the liar in it."""
    body = {"question": "What colour is the tower of Aldra painted?"}
    answer = (await client.post(f"{CORPUS}/answers", json=body)).json()
    sources = (await client.get(f"{CORPUS}/sources")).json()["items"]
    liar = next(source for source in sources if source["name"] == "Rumour")
    assert liar["reliability"]["estimation_id"] == answer["estimation_id"]
    return answer["estimation_id"], liar["reliability"]["reliability"]


async def test_runs_have_numbers_without_gaps_also_where_many_are_asked_for_at_once(
    world: Runtime, corpus: Corpus
) -> None:
    async def attempt() -> EstimationRun | None:
        try:
            return await estimation.start(world, corpus, EstimationParameters(), Trigger.HTTP)
        except Conflict:
            return None

    numbers = []
    for _ in range(4):
        (made,) = [run for run in await asyncio.gather(*(attempt() for _ in range(4))) if run is not None]
        numbers.append(made.number)
        async with world.database.begin() as session:
            await estimations.request_cancel(session, corpus, made.id)
        await estimation.run(world, made.id)
    assert numbers == [1, 2, 3, 4]


async def test_a_run_is_named(client: httpx.AsyncClient, problem: Problem, world: Runtime) -> None:
    run = await estimated(client, world, "majority")
    assert (run["number"], run["name"]) == (1, None)
    named = await client.patch(f"{RUNS}/{run['id']}", json={"name": "before the new reader"})
    assert named.json()["name"] == "before the new reader"
    problem(await client.patch(f"{RUNS}/{run['id']}", json={"name": "two\nlines"}), 422)
    assert (await client.get(RUNS)).json()["items"][0]["name"] == "before the new reader"
    assert (await client.patch(f"{RUNS}/{run['id']}", json={"name": None})).json()["name"] is None
    events = (await client.get(f"{CORPUS}/audit", params={"action": "estimation.renamed"})).json()["items"]
    assert [event["after"] for event in events] == [{"name": None}, {"name": "before the new reader"}]


async def test_the_difference_says_first_that_the_method_changed(
    client: httpx.AsyncClient, problem: Problem, world: Runtime
) -> None:
    first, second = [await estimated(client, world, method) for method in ("majority", "one_coin")]
    found = (await client.get(f"{RUNS}/{second['id']}/difference", params={"from": first["id"]})).json()
    assert (found["before"]["number"], found["after"]["number"]) == (1, 2)
    assert found["settings"] == [{"name": "method", "before": "majority", "after": "one_coin"}]
    assert found["note"] == "The method changed, so this is no change of the sources."
    reliabilities = [
        {
            row["source_name"]: row["reliability"]
            for row in (await client.get(f"{RUNS}/{run['id']}/sources")).json()["items"]
        }
        for run in (first, second)
    ]
    assert len(found["sources"]) == 3
    for source in found["sources"]:
        before, after = (each[source["source_name"]] for each in reliabilities)
        assert (source["before"]["reliability"], source["after"]["reliability"]) == (before, after)
        assert source["change"] == after - before
    changes = [abs(source["change"]) for source in found["sources"]]
    assert changes == sorted(changes, reverse=True)
    source = found["sources"][0]["source_id"]
    history = (await client.get(f"{CORPUS}/sources/{source}/reliability/history")).json()["items"]
    assert [(past["number"], past["method"]) for past in history] == [(1, "majority"), (2, "one_coin")]
    again = await estimated(client, world, "one_coin")
    same = (await client.get(f"{RUNS}/{again['id']}/difference", params={"from": second["id"]})).json()
    assert (same["note"], same["settings"]) == (None, [])
    problem(await client.get(f"{RUNS}/{first['id']}/difference", params={"from": UNKNOWN}), 404)
    waiting = (await client.post(RUNS)).json()
    problem(await client.get(f"{RUNS}/{waiting['id']}/difference", params={"from": first["id"]}), 409)


async def test_a_run_is_made_current_and_back_and_a_newer_one_counts_as_before(
    client: httpx.AsyncClient, problem: Problem, world: Runtime
) -> None:
    first, second = [await estimated(client, world, method) for method in ("majority", "one_coin")]
    by_first, by_second = first["id"], await weighed_by(client)
    assert by_second[0] == second["id"]
    restore = f"{RUNS}/{first['id']}:make-current"
    problem(await client.post(restore), 422)
    stale = problem(await client.post(restore, json={"instead_of": first["id"]}), 409)
    assert "Run 2 is the current one by now" in stale["detail"]
    assert (await client.post(restore, json={"instead_of": second["id"]})).json()["current"] is True
    assert [run["current"] for run in (await client.get(RUNS)).json()["items"]] == [True, False]
    weighed = await weighed_by(client)
    assert weighed[0] == by_first
    assert weighed[1] != by_second[1]
    back = await client.post(f"{RUNS}/{second['id']}:make-current", json={"instead_of": first["id"]})
    assert back.json()["current"] is True
    assert await weighed_by(client) == by_second
    events = (await client.get(f"{CORPUS}/audit", params={"action": "estimation.made_current"})).json()["items"]
    assert [event["after"]["estimation_id"] for event in events] == [second["id"], first["id"]]
    assert events[0]["before"] == {"estimation_id": first["id"]}
    await client.post(restore, json={"instead_of": second["id"]})
    third = await estimated(client, world, "one_coin")
    assert third["current"] is True
    async with world.database.begin() as session:
        run = await session.get_one(EstimationRun, third["id"])
        before = await previous_run(session, run)
    assert before is not None
    assert str(before.id) == first["id"]


async def test_only_a_run_of_the_corpus_that_may_count_is_made_current(
    client: httpx.AsyncClient, problem: Problem, world: Runtime, corpus: Corpus
) -> None:
    done = await estimated(client, world, "majority")
    waiting = (await client.post(RUNS)).json()
    body = {"instead_of": done["id"]}
    problem(await client.post(f"{RUNS}/{waiting['id']}:make-current", json=body), 409)
    problem(await client.post(f"{RUNS}/{UNKNOWN}:make-current", json=body), 404)
    await client.post("/v1/corpora", json={"name": "press"})
    for method, path, sent in (
        ("PATCH", "", {"name": "x"}),
        ("POST", ":make-current", body),
        ("GET", f"/difference?from={done['id']}", None),
    ):
        problem(await client.request(method, f"/v1/corpora/press/estimations/{done['id']}{path}", json=sent), 404)
    await client.post(f"{RUNS}/{waiting['id']}:cancel")
    await estimation.run(world, waiting["id"])
    second = await estimated(client, world, "majority")

    async def restore() -> bool:
        try:
            async with world.database.begin() as session:
                await make_current(session, corpus, UUID(done["id"]), UUID(second["id"]))
        except Conflict:
            return False
        return True

    assert sorted(await asyncio.gather(restore(), restore())) == [False, True]
