"""Connections that never send what they began."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from resource import getpagesize
from socket import create_connection, socket

import httpx
import pytest

from api import connections
from api.connections import MAX_BYTES_OF_A_STRANGER
from registry.keys import rates
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


@pytest.mark.parametrize("sent", ["nothing", "half a body"])
async def test_half_sent_requests_are_closed_while_others_are_served(
    runtime: Runtime, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "RECEIVE_SECONDS", 1.0)
    async with (
        served(runtime, jobs=False) as client,
        half_sent(client, HALF_SENT[sent]) as readers,
    ):
        assert (await client.get("/readyz")).status_code == 200
        ends = await asyncio.wait_for(asyncio.gather(*(reader.read() for reader in readers)), 60)
        assert all(end.count(b"HTTP/1.1 408") <= 1 for end in ends)
        assert (await client.get("/readyz")).status_code == 200


async def test_idle_connections_make_room_for_others(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", AT_ONCE // 2)
    async with (
        served(runtime, jobs=False) as client,
        half_sent(client, HALF_SENT["half a header"]),
    ):
        for _ in range(3):
            assert (await client.get("/readyz", headers={"Connection": "close"})).status_code == 200


@pytest.mark.parametrize("path", ["/v1/corpora/default/answers", "/sign-in", "/corpora/default/documents:import"])
async def test_strangers_make_the_service_hold_a_named_number_of_bytes(runtime: Runtime, path: str) -> None:
    """Bodies without an end, with a key for idempotency, that nobody who has no API key gets held."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: {{}}\r\nTransfer-Encoding: chunked\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    )
    offered = 16 * MAX_BYTES_OF_A_STRANGER
    chunk = b"10000\r\n" + b"x" * 2**16 + b"\r\n"
    async with served(limited(runtime, require_api_keys=True), jobs=False) as client:
        before, opened = resident_bytes(), [await connected(client) for _ in range(AT_ONCE)]
        sending = [
            asyncio.create_task(send_all(socket, head.format(n).encode(), chunk, offered))
            for n, socket in enumerate(opened)
        ]
        await asyncio.wait(sending, timeout=1)
        held = resident_bytes() - before
        for task in sending:
            task.cancel()
        await asyncio.wait(sending)
        for socket in opened:
            socket.close()
        assert (await client.get("/livez")).status_code == 200
    assert held < AT_ONCE * MAX_BYTES_OF_A_STRANGER


async def connected(client: httpx.AsyncClient) -> socket:
    """A connection that keeps nothing of what it sends."""
    opened = create_connection((client.base_url.host, client.base_url.port or 0))
    opened.setblocking(False)
    return opened


async def send_all(opened: socket, head: bytes, chunk: bytes, size: int) -> None:
    """Send a request of so many bytes, or what of it is taken."""
    loop = asyncio.get_running_loop()
    with suppress(OSError):
        await loop.sock_sendall(opened, head)
        for _ in range(size // len(chunk)):
            await loop.sock_sendall(opened, chunk)


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize()


async def test_a_body_with_two_lengths_is_refused_and_nothing_follows_it(runtime: Runtime) -> None:
    """What a proxy takes for a body would be the next request here, whatever answers the first one."""
    smuggled = b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
    lengths = b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n0\r\n\r\n" % (len(smuggled) + 5)
    preflight = b"Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n"
    async with served(limited(runtime, cors_origins=("https://a.example",)), jobs=False) as client:
        for begin in (
            *(b"%s /v1/corpora HTTP/1.1\r\nHost: a\r\n" % name for name in (b"POST", b"GET", b"HEAD", b"OPTIONS")),
            b"OPTIONS /v1/corpora HTTP/1.1\r\nHost: a\r\n" + preflight,
        ):
            reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
            writer.write(begin + lengths + smuggled)
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
