"""Imports that are made to burst: they end with a clear word, and the service answers others meanwhile."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from registry.documents import imports
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS

NDJSON = {"Content-Type": "application/x-ndjson"}
GZIPPED = NDJSON | {"Content-Encoding": "gzip"}
GOOD = json.dumps({"external_id": "good", "content": "The tower is red."}).encode() + b"\n"
Problem = Callable[[httpx.Response, int], dict[str, Any]]


@pytest.fixture
def app(settings: Settings, reading: Runtime, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    monkeypatch.setattr(imports, "MAX_LINES", 100_000)
    monkeypatch.setattr(imports, "MAX_REJECTIONS", 200)
    limited = settings.model_copy(update={"max_import_bytes": 16 * 2**20})
    runtime = Runtime(limited, reading.database, reading.embedder, reading.reader, reading.jobs)
    return create_app(limited, runtime=runtime)


async def source_of(client: httpx.AsyncClient) -> str:
    return (await client.post(f"{CORPUS}/sources", json={"name": "Acme"})).headers["location"]


def packed(repeated: bytes, times: int) -> bytes:
    """A good line, and what follows it, as gzip."""
    return gzip.compress(GOOD + repeated * times)


# Repeated texts and how often: they are packed where they are used, not in every process that lists the tests.
BOMBS = {
    "rejected lines": (b"x\n", 250_000, "More than 200 lines were rejected"),
    "blank lines": (b"\n", 250_000, "at most 100000 lines"),
    "one line": (b"x", 18 * 2**20, "larger than the"),
    "1 to 1,000": (b"\0", 25 * 2**20, "larger than the"),
}


@pytest.mark.parametrize(("repeated", "times", "why"), BOMBS.values(), ids=BOMBS.keys())
async def test_a_bomb_ends_with_a_line_that_says_where_and_what_was_good_stays(
    client: httpx.AsyncClient, repeated: bytes, times: int, why: str
) -> None:
    source = await source_of(client)
    response = await client.post(f"{source}/documents:import", content=packed(repeated, times), headers=GZIPPED)
    results = [json.loads(line) for line in response.text.splitlines()]
    assert why in results[-1]["error"]
    assert "The import ends here" in results[-1]["error"]
    assert len(response.content) < 200_000
    assert [result["status"] for result in results if result["external_id"] == "good"] == ["created"]
    listed = (await client.get(f"{source}/documents")).json()["items"]
    assert [document["external_id"] for document in listed] == ["good"]


async def test_lines_that_are_only_too_many_are_a_413(client: httpx.AsyncClient, problem: Problem) -> None:
    source = await source_of(client)
    body = gzip.compress(b"\n" * 125_000)
    assert (
        "100000"
        in problem(await client.post(f"{source}/documents:import", content=body, headers=GZIPPED), 413)["detail"]
    )


async def test_gzip_in_gzip_is_not_unpacked(client: httpx.AsyncClient) -> None:
    source = await source_of(client)
    body = gzip.compress(GOOD + packed(b"\n", 250_000))
    response = await client.post(f"{source}/documents:import", content=body, headers=GZIPPED)
    results = [json.loads(line) for line in response.text.splitlines()]
    assert sorted({result["status"] for result in results}) == ["created", "rejected"]
    assert len(results) < 100


class Turnstile:
    """Counts how often another task gets its turn."""

    def __init__(self) -> None:
        self.turns = 0

    async def run(self) -> None:
        while True:
            self.turns += 1
            await asyncio.sleep(0)


@pytest.mark.parametrize("bomb", ["blank lines", "one line", "1 to 1,000"])
async def test_others_get_their_turn_while_a_bomb_is_read(client: httpx.AsyncClient, bomb: str) -> None:
    """The body is there at once, so that nothing waits for the network; before, the loop stood still to the end."""
    source = await source_of(client)
    repeated, times, _ = BOMBS[bomb]
    content = packed(repeated, times)
    turnstile = Turnstile()
    task = asyncio.create_task(turnstile.run())

    async def body() -> AsyncIterator[bytes]:
        yield content
        turnstile.turns = 0

    try:
        await client.post(f"{source}/documents:import", content=body(), headers=GZIPPED)
    finally:
        task.cancel()
    assert turnstile.turns >= 3
