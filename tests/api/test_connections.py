"""Connections that never send what they began."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx
import pytest

from registry.access import rates
from registry.runtime import Runtime
from tests.api.test_processes import served

HALF_SENT = {
    "nothing": b"",
    "half a header": b"POST /v1/corpora HTTP/1.1\r\nHost: a\r\nContent-",
    "half a body": b"POST /v1/corpora HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{",
}
AT_ONCE = 30


def limited(runtime: Runtime, **values: object) -> Runtime:
    return replace(runtime, settings=runtime.settings.model_copy(update=values))


@asynccontextmanager
async def half_sent(client: httpx.AsyncClient, data: bytes) -> AsyncIterator[list[asyncio.StreamReader]]:
    """Connections on which that much of a request was sent."""
    opened = await asyncio.gather(
        *(asyncio.open_connection(client.base_url.host, client.base_url.port) for _ in range(AT_ONCE))
    )
    for _, writer in opened:
        writer.write(data)
    yield [reader for reader, _ in opened]
    for _, writer in opened:
        writer.close()


@pytest.mark.parametrize("data", HALF_SENT.values(), ids=HALF_SENT.keys())
async def test_half_sent_requests_are_closed_while_others_are_served(runtime: Runtime, data: bytes) -> None:
    async with (
        served(limited(runtime, receive_timeout_seconds=1.0), jobs=False) as client,
        half_sent(client, data) as readers,
    ):
        assert (await client.get("/readyz")).status_code == 200
        ends = await asyncio.wait_for(asyncio.gather(*(reader.read() for reader in readers)), 60)
        assert all(end.count(b"HTTP/1.1 408") <= 1 for end in ends)
        assert (await client.get("/readyz")).status_code == 200


async def test_idle_connections_make_room_for_others(runtime: Runtime) -> None:
    async with (
        served(limited(runtime, max_connections=AT_ONCE // 2), jobs=False) as client,
        half_sent(client, HALF_SENT["half a header"]),
    ):
        for _ in range(3):
            assert (await client.get("/readyz", headers={"Connection": "close"})).status_code == 200


async def test_a_body_with_two_lengths_is_refused_and_nothing_follows_it(runtime: Runtime) -> None:
    """What a proxy takes for a body would be the next request here."""
    smuggled = b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
    head = b"POST /v1/corpora HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n0\r\n\r\n"
    async with served(runtime, jobs=False) as client:
        reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
        writer.write(head % (len(smuggled) + 5) + smuggled)
        replies = await asyncio.wait_for(reader.read(), 30)
        writer.close()
    assert replies.startswith(b"HTTP/1.1 400")
    assert replies.count(b"HTTP/1.1 ") == 1


async def test_the_address_of_a_client_is_not_what_it_says_itself(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it is a proxy that is named, wrong keys from one machine are wrong keys of one address."""
    monkeypatch.setattr(rates, "FAILED_LOGINS_PER_MINUTE", 3)
    wrong = [{"Authorization": "Bearer crd_wrong", "X-Forwarded-For": f"203.0.113.{number}"} for number in range(5)]
    for trusted, last in ("", 429), ("127.0.0.1", 401):
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", trusted)
        async with served(runtime, jobs=False) as client:
            statuses = [(await client.get("/v1/corpora", headers=headers)).status_code for headers in wrong]
        assert statuses[-1] == last
