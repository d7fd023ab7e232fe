"""A POST with a key is done once, whatever happens to its response."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select

from api.http.streaming.spool import MAX_MEMORY_BYTES
from registry.platform.database import idempotency
from registry.platform.database.idempotency import IdempotentRequest
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.tables import for_each

Problem = Callable[[httpx.Response, int], dict[str, Any]]
KEY = {"Idempotency-Key": "import-42"}


async def names(client: httpx.AsyncClient) -> list[str]:
    return [source["name"] for source in (await client.get(f"{CORPUS}/sources")).json()["items"]]


async def test_a_repeated_request_gets_the_first_response(client: httpx.AsyncClient) -> None:
    first = await client.post(f"{CORPUS}/sources", json={"name": "Acme"}, headers=KEY)
    again = await client.post(f"{CORPUS}/sources", json={"name": "Acme"}, headers=KEY)
    assert first.status_code == again.status_code == 201
    assert first.content == again.content
    assert first.headers["location"] == again.headers["location"]
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert first.headers["x-request-id"] != again.headers["x-request-id"]
    assert await names(client) == ["Acme"]


async def test_a_refusal_is_repeated_too(client: httpx.AsyncClient, problem: Problem) -> None:
    first = await client.post(f"{CORPUS}/sources", json={}, headers=KEY)
    problem(first, 422)
    again = await client.post(f"{CORPUS}/sources", json={}, headers=KEY)
    assert again.content == first.content
    assert again.headers["content-type"] == "application/problem+json"


async def test_another_body_needs_another_key(client: httpx.AsyncClient, problem: Problem) -> None:
    await client.post(f"{CORPUS}/sources", json={"name": "Acme"}, headers=KEY)
    refused = await client.post(f"{CORPUS}/sources", json={"name": "Other"}, headers=KEY)
    assert problem(refused, 422)["type"] == "/problems/idempotency-key-reused"
    assert await names(client) == ["Acme"]


async def test_keys_belong_to_a_path(client: httpx.AsyncClient) -> None:
    assert (await client.post(f"{CORPUS}/sources", json={"name": "Acme"}, headers=KEY)).status_code == 201
    assert (await client.post(f"{CORPUS}/queries", json={"text": "Where?"}, headers=KEY)).status_code == 201


async def test_only_posts_take_keys(client: httpx.AsyncClient) -> None:
    assert (await client.get(f"{CORPUS}/sources", headers=KEY)).json()["items"] == []
    await client.post(f"{CORPUS}/sources", json={"name": "Acme"})
    assert len((await client.get(f"{CORPUS}/sources", headers=KEY)).json()["items"]) == 1


@for_each("key", ["", " ", "a b", "k" * 256, "\x7f", "é"])
async def test_odd_keys_are_refused(client: httpx.AsyncClient, problem: Problem, key: str) -> None:
    headers = {b"Idempotency-Key": key.encode()}
    problem(await client.post(f"{CORPUS}/sources", json={"name": "Acme"}, headers=headers), 422)
    assert await names(client) == []


async def test_while_the_first_runs_the_second_waits_its_turn(app: FastAPI, problem: Problem) -> None:
    running, go_on = asyncio.Event(), asyncio.Event()

    @app.post("/v1/slow", status_code=201)
    async def slow() -> dict[str, str]:
        running.set()
        await go_on.wait()
        return {"done": "once"}

    async with client_of(app) as client:
        first = asyncio.create_task(client.post("/v1/slow", headers=KEY))
        await running.wait()
        second = await client.post("/v1/slow", headers=KEY)
        assert problem(second, 409)["type"] == "/problems/idempotency-key-in-use"
        assert second.headers["retry-after"] == "1"
        go_on.set()
        assert (await first).status_code == 201
        assert (await client.post("/v1/slow", headers=KEY)).json() == {"done": "once"}


async def test_a_failure_of_ours_can_be_tried_again(app: FastAPI, problem: Problem) -> None:
    attempts: list[int] = []

    @app.post("/v1/shaky", status_code=201)
    async def shaky() -> dict[str, int]:
        attempts.append(1)
        if len(attempts) == 1:
            raise RuntimeError
        return {"attempts": len(attempts)}

    async with client_of(app) as client:
        problem(await client.post("/v1/shaky", headers=KEY), 500)
        assert (await client.post("/v1/shaky", headers=KEY)).json() == {"attempts": 2}
        assert (await client.post("/v1/shaky", headers=KEY)).json() == {"attempts": 2}


async def test_a_conflict_that_is_over_is_not_repeated(client: httpx.AsyncClient, problem: Problem) -> None:
    body = {"name": "Acme", "external_id": "acme"}
    created = await client.post(f"{CORPUS}/sources", json=body)
    problem(await client.post(f"{CORPUS}/sources", json=body, headers=KEY), 409)
    await client.delete(created.headers["location"])
    assert (await client.post(f"{CORPUS}/sources", json=body, headers=KEY)).status_code == 201


async def test_the_secret_of_an_api_key_is_not_stored(client: httpx.AsyncClient, problem: Problem) -> None:
    body = {"name": "robot", "scopes": ["read"]}
    for path in ("/v1/keys", f"{CORPUS}/keys"):
        problem(await client.post(path, json=body, headers=KEY), 422)
        created = await client.post(path, json=body)
        assert created.status_code == 201
        assert created.headers["cache-control"] == "no-store"


async def test_very_long_paths_have_keys_too(client: httpx.AsyncClient) -> None:
    path = f"/v1/corpora/{'x' * 5000}/sources"
    first, second = [await client.post(path, json={"name": "a"}, headers=KEY) for _ in range(2)]
    assert first.status_code == second.status_code == 404
    assert second.headers["idempotency-replayed"] == "true"


async def test_what_a_dead_process_left_is_taken_over(reading: Runtime) -> None:
    claim = idempotency.RequestKey("anonymous POST /here", "key", b"hash")
    async with reading.database.begin() as session:
        assert await idempotency.reserve(session, claim, abandoned_after=timedelta(minutes=1)) is None
    async with reading.database.begin() as session:
        with pytest.raises(idempotency.KeyInUse):
            await idempotency.reserve(session, claim, abandoned_after=timedelta(minutes=1))
    async with reading.database.begin() as session:
        assert await idempotency.reserve(session, claim, abandoned_after=timedelta(0)) is None


@for_each("path", ["/sign-in", "/corpora/default/questions", "/nowhere", "/v1x/sources"])
async def test_pages_take_no_keys(client: httpx.AsyncClient, reading: Runtime, path: str) -> None:
    """What authentication has not let in is neither held nor stored, such as the cookie of a session."""
    await client.post(path, content=b"key=crd_secret", headers=KEY)
    async with reading.database.begin() as session:
        assert await session.scalar(select(func.count()).select_from(IdempotentRequest)) == 0


async def test_large_bodies_with_a_key_are_kept_on_disk(client: httpx.AsyncClient) -> None:
    body = {"name": "Acme", "description": "x" * (3 * MAX_MEMORY_BYTES)}
    first, second = [await client.post(f"{CORPUS}/sources", json=body, headers=KEY) for _ in range(2)]
    assert first.content == second.content
    assert second.headers["idempotency-replayed"] == "true"
