"""NDJSON in, NDJSON out: whole, broken, cut, compressed, and by clients that send all before they read."""

import asyncio
import gzip
import http.client
import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from api.http.streaming.request_lines import RequestLines
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import BUFFER_BYTES, CORPUS, client_of
from tests.eventually import eventually

Problem = Callable[[httpx.Response, int], dict[str, Any]]
NDJSON = {"Content-Type": "application/x-ndjson"}
GZIPPED = NDJSON | {"Content-Encoding": "gzip"}


def lines(response: httpx.Response) -> list[dict[str, Any]]:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/x-ndjson"
    return sorted((json.loads(line) for line in response.text.splitlines()), key=lambda result: result["line"])


def ndjson(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def documents(count: int, size: int = 1) -> list[dict[str, str]]:
    return [{"external_id": f"d{n}", "content": f"The tower of T{n} is painted red. " * size} for n in range(count)]


async def source_of(client: httpx.AsyncClient) -> str:
    created = await client.post(f"{CORPUS}/sources", json={"name": "Acme"})
    return str(created.headers["location"])


async def test_every_line_has_its_result(client: httpx.AsyncClient) -> None:
    source = await source_of(client)
    body = (
        ndjson(*documents(3))
        + b"\n"
        + b'{"external_id": "bad"}\n'
        + b"{not json\n"
        + b"\xff\xfe\n"
        + ndjson({"external_id": "last", "content": "still there"})
    )
    results = lines(await client.post(f"{source}/documents:import", content=body, headers=NDJSON))
    by_line = {result["line"]: result for result in results}
    assert [by_line[n]["status"] for n in (1, 2, 3, 5, 6, 7, 8)] == ["created"] * 3 + ["rejected"] * 3 + ["created"]
    assert "content" in by_line[5]["error"]
    listed = (await client.get(f"{source}/documents")).json()["items"]
    assert {document["external_id"] for document in listed} == {"d0", "d1", "d2", "last"}


async def test_broken_bodies_are_problems_when_nothing_was_done_yet(
    client: httpx.AsyncClient, problem: Problem
) -> None:
    source = await source_of(client)
    problem(await client.post(f"{source}/documents:import", content=b"not gzip", headers=GZIPPED), 400)
    problem(await client.post(f"{source}/documents:import", content=b"{}"), 415)
    wrong = {"Content-Type": "application/json"}
    problem(await client.post(f"{source}/documents:import", content=b"{}", headers=wrong), 415)
    problem(
        await client.post(f"{source}/documents:import", content=b"{}", headers=NDJSON | {"Content-Encoding": "br"}), 415
    )
    assert lines(await client.post(f"{source}/documents:import", content=b"", headers=NDJSON)) == []


@pytest.fixture
def small(settings: Settings, reading: Runtime) -> FastAPI:
    limited = settings.model_copy(update={"max_import_bytes": 400_000})
    return create_app(
        limited, runtime=Runtime(limited, reading.database, reading.embedder, reading.reader, reading.jobs)
    )


async def test_limits_of_imports(small: FastAPI, problem: Problem) -> None:
    async with client_of(small) as client:
        source = await source_of(client)
        problem(await client.post(f"{source}/documents:import", content=bytes(400_001), headers=NDJSON), 413)
        bomb = gzip.compress(bytes(2**22))
        problem(await client.post(f"{source}/documents:import", content=bomb, headers=GZIPPED), 413)
        swollen = gzip.compress(ndjson(*documents(600, size=30)))
        results = lines(await client.post(f"{source}/documents:import", content=swollen, headers=GZIPPED))
        assert "larger than the 400,000 bytes" in results[-1]["error"]


async def test_lines_that_name_their_sources(client: httpx.AsyncClient, problem: Problem) -> None:
    rows = [{"source": f"Site {n % 2}/é", "external_id": f"d{n}", "content": f"Document {n}."} for n in range(5)]
    for expected in ("created", "unchanged"):
        response = await client.post(f"{CORPUS}/documents:import", content=ndjson(*rows), headers=NDJSON)
        assert [result["status"] for result in lines(response)] == [expected] * 5
    listed = (await client.get(f"{CORPUS}/sources")).json()["items"]
    assert [(source["name"], source["external_id"]) for source in listed] == [("Site 0/é",) * 2, ("Site 1/é",) * 2]
    (result,) = lines(await client.post(f"{CORPUS}/documents:import", content=ndjson(*documents(1)), headers=NDJSON))
    assert result["error"] == "source: Field required"
    problem(await client.post(f"{CORPUS}/documents:import", content=b"{}"), 415)


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("text/plain; charset=utf-8", "Where?\r\n\n  When? \n"),
        ("text/csv", 'topic,text,gold_answers\n,Where?,\n\n"",When?,"1911|""In 1911"""\n'),
    ],
)
async def test_queries_come_as_plain_lines_and_as_csv(client: httpx.AsyncClient, media_type: str, body: str) -> None:
    headers = {"Content-Type": media_type, "Content-Encoding": "gzip"}
    content = gzip.compress(body.encode())
    results = lines(await client.post(f"{CORPUS}/queries:import", content=content, headers=headers))
    assert [(result["status"], result["line"] > 0) for result in results] == [("created", True)] * 2
    listed = (await client.get(f"{CORPUS}/queries")).json()["items"]
    assert [query["text"] for query in listed] == ["Where?", "When?"]
    assert listed[1]["gold_answers"] == (["1911", '"In 1911"'] if "csv" in media_type else None)
    again = lines(await client.post(f"{CORPUS}/queries:import", content=content, headers=headers))
    assert {result["status"] for result in again} == {"unchanged"}


async def test_csv_without_a_text_is_refused_with_what_it_needs(client: httpx.AsyncClient, problem: Problem) -> None:
    csv = {"Content-Type": "text/csv"}
    refused = await client.post(f"{CORPUS}/queries:import", content=b"question\nWhere?\n", headers=csv)
    assert "no column `text`" in problem(refused, 422)["detail"]
    cut = await client.post(f"{CORPUS}/queries:import", content=b'text\n"Where', headers=csv)
    assert "within a quoted cell" in problem(cut, 422)["detail"]
    problem(await client.post(f"{CORPUS}/queries:import", content=b"Where?", headers={"Content-Type": "text/x"}), 415)
    problem(
        await client.post(f"{CORPUS}/documents:import", content=b"Where?", headers={"Content-Type": "text/csv"}), 415
    )


def test_results_come_while_the_request_is_still_being_sent(live: str) -> None:
    source = httpx.post(f"{live}{CORPUS}/sources", json={"name": "Acme"}).headers["location"]
    host = urlsplit(live)
    connection = http.client.HTTPConnection(host.hostname or "", host.port, timeout=60)
    connection.putrequest("POST", f"{source}/documents:import")
    connection.putheader("Content-Type", "application/x-ndjson")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()

    def send(data: bytes) -> None:
        connection.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    send(ndjson(*documents(600)))
    response = connection.getresponse()
    assert json.loads(response.readline())["line"] == 1
    send(ndjson({"external_id": "late", "content": "The tower of Late is painted red."}))
    send(b"")
    rest = [json.loads(line) for line in response.read().splitlines()]
    assert rest[-1]["external_id"] == "late"
    assert rest[-1]["line"] == 601
    connection.close()


def test_a_client_that_reads_nothing_until_it_has_sent_all_is_served(live: str) -> None:
    """Its results fill every buffer on the way, which are small here, long before its request has ended."""
    rows = 5_000

    def body() -> Iterator[bytes]:
        for start in range(0, rows, 1000):
            yield b"".join(b'{"a": %d, "b": 1, "c": 1, "d": 1}\n' % n for n in range(start, start + 1000))

    small = httpx.HTTPTransport(socket_options=[(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)])
    with httpx.Client(transport=small, timeout=60) as client:
        response = client.post(f"{live}{CORPUS}/queries:import", content=body(), headers=NDJSON)
    results = response.text.splitlines()
    assert len(results) == rows
    assert {json.loads(line)["status"] for line in results} == {"rejected"}
    assert len(response.content) > 10 * BUFFER_BYTES


@pytest.fixture
def lines_read(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The lines that the service has read of all imports so far."""
    read: list[bytes] = []
    lines_of = RequestLines.__aiter__

    async def recorded(request_lines: RequestLines) -> AsyncIterator[bytes]:
        async for line in lines_of(request_lines):
            read.append(line)
            yield line

    monkeypatch.setattr(RequestLines, "__aiter__", recorded)
    return read


def test_what_a_client_sent_before_it_went_away_is_kept(live: str, lines_read: list[bytes]) -> None:
    source = httpx.post(f"{live}{CORPUS}/sources", json={"name": "Acme"}).headers["location"]
    host = urlsplit(live)
    connection = http.client.HTTPConnection(host.hostname or "", host.port, timeout=60)
    body = ndjson(*documents(300))
    connection.putrequest("POST", f"{source}/documents:import")
    connection.putheader("Content-Type", "application/x-ndjson")
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders()
    sent = body[: len(body) // 2]
    connection.send(sent)
    # What has not been read when the connection breaks is lost with it.
    asyncio.run(eventually(lambda: len(lines_read) == sent.count(b"\n")))
    assert connection.sock is not None
    connection.sock.close()
    connection.close()

    def kept() -> int:
        return len(httpx.get(f"{live}{source}/documents?limit=500", timeout=60).json()["items"])

    asyncio.run(eventually(lambda: kept() >= 140))
    assert kept() < 160
