"""Runs that are numbered, named, compared, and made current again."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID

import httpx

from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import Trigger
from registry.platform.errors import Conflict
from registry.runtime import Runtime
from registry.sources.store.estimates import make_current, previous_run
from tests.api.http.conftest import CORPUS
from tests.api.http.routes.test_estimations import UNKNOWN

Problem = Callable[[httpx.Response, int], dict[str, Any]]
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
