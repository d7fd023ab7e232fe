"""Queries written from documents, over HTTP and on their page."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import httpx
import pytest

from registry.corpora.model import Corpus
from registry.query_generations import service as query_generation
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.registry.mills import asked, built, mill_reader, publish_mills

Problem = Callable[[httpx.Response, int], dict[str, Any]]


@pytest.fixture
async def reading(runtime: Runtime, corpus: Corpus) -> Runtime:
    runtime = replace(runtime, reader=mill_reader())
    await publish_mills(runtime, corpus, "Aldra", "Brin")
    return runtime


async def test_queries_are_generated_followed_listed_and_activated(
    client: httpx.AsyncClient, problem: Problem, reading: Runtime
) -> None:
    queued = await client.post(f"{CORPUS}/queries:generate", json={"active": False, "max_agreed": 1.0})
    assert (queued.status_code, queued.json()["status"]) == (202, "queued")
    address = queued.headers["Location"]
    assert "Retry-After" in (await client.get(address)).headers
    problem(await client.post(f"{CORPUS}/queries:generate"), 409)
    assert await query_generation.run(reading, UUID(queued.json()["id"]))
    ended = await client.get(address)
    assert (ended.json()["status"], ended.json()["report"]["queries"]) == ("succeeded", 2)
    assert "Retry-After" not in ended.headers
    assert len((await client.get(f"{CORPUS}/query-generations")).json()["items"]) == 1
    listed = (await client.get(f"{CORPUS}/queries", params={"origin": "generated"})).json()["items"]
    assert {query["text"]: query["provenance"]["sentence"] for query in listed} == {
        asked(mill): built(mill) for mill in ("Aldra", "Brin")
    }
    assert not any(query["active"] for query in listed)
    changed = await client.patch(f"{CORPUS}/queries/{listed[0]['id']}", json={"active": True})
    assert (changed.json()["active"], changed.json()["origin"]) == (True, "generated")
    assert (await client.get(f"{CORPUS}/queries", params={"origin": "given"})).json()["items"] == []
