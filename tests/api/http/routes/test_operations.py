"""What those who run the service see: health, metrics, logs, and answers to HEAD and OPTIONS."""

import json
import logging
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import structlog

from api.logs import configure_logging
from api.sockets import listening_on
from registry.corpora.model import Corpus
from registry.platform.database.locks import try_lock
from registry.platform.settings import LogFormat, Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.registry.world import build, honest, question

Problem = Callable[[httpx.Response, int], dict[str, Any]]


async def test_health(client: httpx.AsyncClient) -> None:
    assert (await client.get("/livez")).json() == {"status": "ok"}
    assert (await client.get("/readyz")).json() == {"status": "ok"}


async def test_a_person_is_shown_the_pages_or_the_documentation(client: httpx.AsyncClient) -> None:
    assert (await client.get("/")).headers["location"] == "/corpora"


async def test_the_documentation_loads_nothing_from_elsewhere(client: httpx.AsyncClient) -> None:
    page = await client.get("/docs")
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(addresses) == 4
    for address in addresses:
        assert (await client.get(address)).status_code == 200
    policy = page.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "http" not in policy


async def sample(client: httpx.AsyncClient, line: str) -> float:
    """The value of one line of the metrics, 0 where it is not there."""
    lines = (await client.get("/metrics")).text.splitlines()
    return next((float(body.rsplit(" ", 1)[1]) for body in lines if body.startswith(line + " ")), 0.0)


async def test_requests_are_counted_by_route(client: httpx.AsyncClient) -> None:
    for number in range(3):
        await client.get(f"{CORPUS}/sources/0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7{number}")
    await client.get("/nowhere/at/all")
    await client.request("BREW", "/livez")
    count = "credence_http_request_seconds_count"
    route = "/v1/corpora/{corpus}/sources/{source_id}"
    assert await sample(client, f'{count}{{method="GET",route="{route}",status="404"}}') == 3
    assert await sample(client, f'{count}{{method="GET",route="unmatched",status="404"}}') == 1
    assert await sample(client, f'{count}{{method="OTHER",route="/livez",status="405"}}') == 1


async def test_answers_readings_and_connections_are_counted(
    client: httpx.AsyncClient, reading: Runtime, corpus: Corpus
) -> None:
    await build(reading, corpus, {"herald": honest(), "gazette": honest() | {"Aldra": "pink"}})
    for _ in range(2):
        await client.post(f"{CORPUS}/answers", json={"question": question("Brin")})
    assert await sample(client, 'credence_answers_total{outcome="answered"}') == 2
    assert await sample(client, 'credence_readings_total{origin="made"}') == 2
    assert await sample(client, 'credence_readings_total{origin="cached"}') == 2
    assert await sample(client, 'credence_database_connections{state="allowed"}') == 10
    assert await sample(client, 'credence_database_connections{state="locks"}') == 0
    async with try_lock(reading.database, "work"):
        assert await sample(client, 'credence_database_connections{state="locks"}') == 1
    assert await sample(client, 'credence_estimation_readings_total{origin="made"}') == 0


@pytest.mark.parametrize("path", ["/livez", f"{CORPUS}/sources", "/nowhere"])
async def test_head_is_get_without_the_body(client: httpx.AsyncClient, path: str) -> None:
    get, head = await client.get(path), await client.head(path)
    assert head.status_code == get.status_code
    assert head.content == b""
    assert head.headers["content-type"] == get.headers["content-type"]


async def test_head_of_a_stream_ends(client: httpx.AsyncClient, reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {"herald": honest()}, ["Aldra"])
    started = await client.post(f"{CORPUS}/estimations")
    head = await client.head(f"{started.headers['location']}/events")
    assert head.status_code == 200
    assert head.headers["content-type"].startswith("text/event-stream")


async def test_options_lists_the_methods(client: httpx.AsyncClient, problem: Problem) -> None:
    options = await client.options(f"{CORPUS}/sources")
    assert options.status_code == 204
    assert options.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    imports = await client.options(f"{CORPUS}/queries:import")
    assert imports.headers["allow"] == "OPTIONS, POST"
    problem(await client.options("/nowhere"), 404)


async def test_request_ids_are_taken_if_sane(client: httpx.AsyncClient) -> None:
    assert (await client.get("/livez", headers={"X-Request-ID": "trace-1:a.b_c"})).headers[
        "x-request-id"
    ] == "trace-1:a.b_c"
    for odd in ("", "a b", "x" * 129, "é", "a\x1bb"):
        created = (await client.get("/livez", headers={b"X-Request-ID": odd.encode()})).headers["x-request-id"]
        assert len(created) == 32
        assert created.isalnum()


def test_responses_on_kept_connections_are_sent_at_once() -> None:
    with listening_on("127.0.0.1", 0) as listening:
        assert all(item.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for item in listening)


Log = Callable[[LogFormat], Callable[[], str]]


@pytest.fixture
def log(settings: Settings, capsys: pytest.CaptureFixture[str]) -> Iterator[Log]:
    """Sets up logging in a format, and gives what is logged from then on."""
    root = logging.getLogger()
    before, level = root.handlers, root.level

    def configure(log_format: LogFormat) -> Callable[[], str]:
        configure_logging(settings.model_copy(update={"log_format": log_format}))
        return lambda: capsys.readouterr().err

    yield configure
    structlog.reset_defaults()
    root.handlers, root.level = before, level


async def test_each_request_is_one_line(client: httpx.AsyncClient, log: Log) -> None:
    logged = log(LogFormat.JSON)
    await client.get(f"{CORPUS}/sources?cursor=secret", headers={"X-Request-ID": "trace-1"})
    await client.get("/livez")
    await client.get("/no%0Awhere%1b[31m")
    text = logged()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["path"] for line in lines] == [f"{CORPUS}/sources", "/no%0Awhere%1B%5B31m"]
    first = lines[0]
    assert (first["event"], first["method"], first["status"], first["level"]) == ("request", "GET", 422, "info")
    assert first["request_id"] == "trace-1"
    assert first["principal"] == "anonymous"
    assert first["milliseconds"] > 0
    assert first["timestamp"].endswith("Z")
    assert "secret" not in text


def test_lines_of_libraries_look_like_ours(log: Log) -> None:
    logged = log(LogFormat.JSON)
    logging.getLogger("some.library").warning("careful: %s", "hot")
    logging.getLogger("httpx").info("chatter")
    line = json.loads(logged())
    assert (line["event"], line["logger"], line["level"]) == ("careful: hot", "some.library", "warning")


@pytest.mark.parametrize("log_format", LogFormat)
def test_errors_are_told_without_messages_and_values_of_variables(log: Log, log_format: LogFormat) -> None:
    logged = log(log_format)
    document = "a confidential document"
    try:
        raise RuntimeError(f"broken after {len(document)} characters")
    except RuntimeError:
        structlog.get_logger("here").exception("it_broke", count=3)
    text = logged()
    assert "it_broke" in text
    assert "RuntimeError" in text
    assert "after 23 characters" not in text
    assert text.count("confidential") == 0
    assert "\x1b" not in text


async def test_browsers_are_told_not_to_guess_or_frame(client: httpx.AsyncClient) -> None:
    for path in ("/livez", "/v1/corpora/default/sources", "/nowhere", "/docs"):
        headers = (await client.get(path)).headers
        assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
        assert headers["content-security-policy"].startswith("default-src 'none'")
