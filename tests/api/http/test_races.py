"""Writes on one resource at the same time: each is done or refused, none is a fault of the service."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import httpx
import pytest

from tests.api.http.conftest import CORPUS

# Of each pair of writes; RACES=25 makes a thousand.
RACES = int(os.environ.get("RACES", "2"))
Make: TypeAlias = Callable[[httpx.AsyncClient, int], Awaitable[str]]


async def corpus(client: httpx.AsyncClient, number: int) -> str:
    return await made(client, "/v1/corpora", {"name": f"race-{number}"})


async def source(client: httpx.AsyncClient, number: int) -> str:
    return await made(client, f"{CORPUS}/sources", {"name": f"Source {number}"})


async def query(client: httpx.AsyncClient, number: int) -> str:
    return await made(client, f"{CORPUS}/queries", {"text": f"Which colour has tower {number}?"})


async def document(client: httpx.AsyncClient, number: int) -> str:
    return await made(client, f"{await source(client, number)}/documents", {"content": "The tower is red."})


async def made(client: httpx.AsyncClient, path: str, values: dict[str, Any]) -> str:
    response = await client.post(path, json=values)
    assert response.is_success, response.text
    return (
        response.headers["location"] if "location" in response.headers else f"{path}/{response.json()['document_id']}"
    )


WRITES: dict[str, tuple[Make, list[tuple[str, str, dict[str, Any] | None]]]] = {
    "corpus": (
        corpus,
        [("PATCH", "", {"description": "new"}), ("DELETE", "", None), ("POST", "/sources", {"name": "A"})],
    ),
    "source": (
        source,
        [
            ("PATCH", "", {"description": "new"}),
            ("DELETE", "", None),
            ("POST", "/documents", {"external_id": "a", "content": "The tower is red."}),
            ("PUT", "/override", {"reliability": 0.5, "reason": "known"}),
            ("DELETE", "/override", None),
            ("PUT", "/rating", {"rating": 0.5, "origin": "a list"}),
            ("DELETE", "/rating", None),
        ],
    ),
    "query": (query, [("PATCH", "", {"gold_answers": ["red"]}), ("DELETE", "", None)]),
    "document": (document, [("GET", "", None), ("DELETE", "", None)]),
}
PAIRS = [
    pytest.param(make, first, second, id=f"{kind}: {first[0]}{first[1]} beside {second[0]}{second[1]}")
    for kind, (make, writes) in WRITES.items()
    for number, first in enumerate(writes)
    for second in writes[number:]
    if first[1] == second[1] or ("DELETE", "", None) in (first, second)
]


@pytest.mark.parametrize(("make", "first", "second"), PAIRS)
async def test_two_writes_at_once(
    client: httpx.AsyncClient,
    make: Make,
    first: tuple[str, str, dict[str, Any] | None],
    second: tuple[str, str, dict[str, Any] | None],
) -> None:
    for number in range(RACES):
        address = await make(client, number)
        requests = [
            client.request(method, f"{address}{below}", json=body)
            for method, below, body in (first, second, first, second)
        ]
        responses = await asyncio.gather(*requests)
        statuses = [response.status_code for response in responses]
        assert all(status < 300 or status in {404, 409} for status in statuses), [
            (response.status_code, response.text[:200]) for response in responses
        ]
