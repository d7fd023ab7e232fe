"""Floods: what is too much is refused at once, over all processes, and nobody else pays for it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest

from api.app import create_app
from registry.corpora.model import Corpus
from registry.keys import rates
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.database.engine import Database
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.eventually import eventually
from tests.fixtures import Recording
from tests.registry.world import build, colour_reader, honest

Problem = Callable[[httpx.Response, int], dict[str, Any]]
QUESTION = {"question": "Which colour is the tower of Aldra painted?"}
LIMITS = {"requests_per_minute": 4, "require_api_keys": True}


@pytest.fixture(autouse=True)
def one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few wrong keys; the clock stands, so that no test begins in one minute and ends in the next."""
    monkeypatch.setattr(rates, "clock", lambda: 1_800_000_030.0)
    monkeypatch.setattr(rates, "FAILED_LOGINS_PER_MINUTE", 3)


@pytest.fixture
async def processes(runtime: Runtime) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Two processes of one service with keys and small limits."""
    settings = runtime.settings.model_copy(update=LIMITS)
    limited = replace(runtime, settings=settings)
    async with (
        client_of(create_app(settings, runtime=limited)) as first,
        client_of(create_app(settings, runtime=limited)) as second,
    ):
        yield [first, second]


async def new_key(runtime: Runtime, requests: int | None = None) -> dict[str, str]:
    values = KeyInput(name="a", scopes=frozenset({Scope.ADMIN}), requests_per_minute=requests)
    async with runtime.database.begin() as session:
        _, secret = await keys.create(session, None, values)
    return {"Authorization": f"Bearer {secret}"}


async def exchange(client: httpx.AsyncClient) -> None:
    """What happens every second."""
    transport = client._transport
    assert isinstance(transport, httpx.ASGITransport)
    await transport.app.state.limits.exchange()  # type: ignore[attr-defined]


async def test_wrong_keys_are_slowed_over_all_processes_and_right_ones_are_not(
    runtime: Runtime, processes: list[httpx.AsyncClient], problem: Problem
) -> None:
    first, second = processes
    right = await new_key(runtime)
    assert (await first.get("/v1/corpora", headers=right)).status_code == 200
    wrong = {"Authorization": "Bearer crd_wrong"}
    statuses = [(await client.get("/v1/corpora", headers=wrong)).status_code for client in (first, second) * 3]
    assert statuses == [401, 401, 401, 429, 429, 429]
    refused = await first.get("/v1/corpora", headers=wrong)
    assert "failed logins" in problem(refused, 429)["detail"]
    assert refused.headers["Retry-After"] == "30"
    assert (await first.get("/v1/corpora", headers=right)).status_code == 200


async def test_requests_of_a_key_are_limited_over_all_processes(
    runtime: Runtime, processes: list[httpx.AsyncClient]
) -> None:
    right, other = await new_key(runtime), await new_key(runtime)
    for client in processes:
        for _ in range(2):
            assert (await client.get("/v1/corpora", headers=right)).status_code == 200
        await exchange(client)
    assert [(await client.get("/v1/corpora", headers=right)).status_code for client in reversed(processes)] == [
        429,
        200,
    ]
    await exchange(processes[0])
    assert (await processes[0].get("/v1/corpora", headers=right)).status_code == 429
    assert (await processes[0].get("/v1/corpora", headers=other)).status_code == 200
    assert (await processes[0].get("/readyz")).status_code == 200


async def test_a_key_has_a_limit_of_its_own_and_never_more_than_the_settings_allow(
    runtime: Runtime, processes: list[httpx.AsyncClient], problem: Problem
) -> None:
    first, second = processes
    key: dict[str, str] = {}
    for own, most in ((2, 2), (0, 0), (100, 4)):
        key = await new_key(runtime, own)
        statuses = [(await first.get("/v1/corpora", headers=key)).status_code for _ in range(6)]
        assert statuses == [200] * most + [429] * (6 - most)
        await exchange(first)
        await second.get("/v1/corpora", headers=await new_key(runtime))
    refused = await first.get("/v1/corpora", headers=key)
    assert "More than 4 requests a minute" in problem(refused, 429)["detail"]
    async with client_of(create_app(runtime.settings, runtime=runtime)) as client:
        listed = (await client.get("/v1/keys")).json()["items"]
    assert [item["requests_this_minute"] for item in listed if item["requests_per_minute"] == 100] == [4]


async def test_imports_are_limited_exactly(runtime: Runtime, processes: list[httpx.AsyncClient]) -> None:
    headers = await new_key(runtime) | {"Content-Type": "application/x-ndjson"}
    body = b'{"text": "Which colour?"}\n'
    statuses = [
        (await client.post(f"{CORPUS}/queries:import", content=body, headers=headers)).status_code
        for client in processes
    ]
    assert statuses == [200, 429]


async def test_counting_requests_costs_no_statement_until_the_exchange(
    settings: Settings, database: Database, count_statements: Recording
) -> None:
    limits = rates.RateLimits(settings, database)
    with count_statements() as statements:
        for _ in range(1000):
            limits.take(rates.RateKind.REQUEST, "key a")
    assert statements == []
    with count_statements() as statements:
        await limits.exchange()
    assert len(statements) == 1


async def test_questions_that_cannot_be_answered_in_time_are_refused_at_once(
    runtime: Runtime, corpus: Corpus, problem: Problem, count_statements: Recording
) -> None:
    await build(runtime, corpus, {"herald": honest()})
    reader = colour_reader(delay=3600)
    settings = runtime.settings.model_copy(update={"concurrent_answers": 4, "require_api_keys": True})
    busy = replace(runtime, reader=reader, settings=settings)
    async with client_of(create_app(settings, runtime=busy)) as client:
        client.headers.update(await new_key(runtime))
        waiting = [asyncio.create_task(client.post(f"{CORPUS}/answers", json=QUESTION)) for _ in range(200)]

        def refused() -> list[httpx.Response]:
            return [task.result() for task in waiting if task.done()]

        await eventually(lambda: len(refused()) == 196)
        for response in refused():
            assert "4 questions" in problem(response, 503)["detail"]
            assert "Retry-After" in response.headers
        await eventually(lambda: len(reader.calls) == 4)
        with count_statements() as statements:
            assert (await client.post(f"{CORPUS}/answers", json=QUESTION)).status_code == 503
        assert statements == []
        assert (await client.get(f"{CORPUS}/answers")).status_code == 200
        queued = await client.post(f"{CORPUS}/answers", json=QUESTION, headers={"Prefer": "respond-async"})
        assert queued.status_code == 202
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        read = len(reader.calls)
        admitted = asyncio.create_task(client.post(f"{CORPUS}/answers", json=QUESTION))
        await eventually(lambda: len(reader.calls) > read)
        admitted.cancel()
