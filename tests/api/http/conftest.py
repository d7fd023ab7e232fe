"""The service, in this process for what is asked and answered, on a socket for what is streamed."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from answering.embedders import Embedder
from answering.readers import Reader
from api.app import create_app
from migrations.control import check_schema
from registry.corpora.model import Corpus
from registry.jobs.worker import run_worker
from registry.platform.settings import Settings
from registry.runtime import Runtime, open_runtime
from tests.registry.world import TOWERS, build, colour_reader, honest, liar

CORPUS = "/v1/corpora/default"
# Of sockets: small, so that results that nobody reads soon fill them; the kernel takes up to twice as much.
BUFFER_BYTES = 65_536


def client_of(app: FastAPI | ASGIApp) -> httpx.AsyncClient:
    """A client whose exceptions in the app are the responses that a real client gets."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost")


@pytest.fixture
async def reading(runtime: Runtime) -> Runtime:
    """The runtime with a reader that finds the colours of towers."""
    return replace(runtime, reader=colour_reader())


@pytest.fixture
async def world(reading: Runtime, corpus: Corpus) -> Runtime:
    """Three sources of which one lies."""
    stated = {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra", "Brin", "Corvo", "Delm")}
    await build(reading, corpus, stated, TOWERS)
    return reading


@pytest.fixture
def app(settings: Settings, reading: Runtime) -> FastAPI:
    return create_app(settings, runtime=reading)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app) as client:
        yield client


@contextmanager
def serving(settings: Settings, reader: Reader, embedder: Embedder) -> Iterator[str]:
    """The URL of the service, with its jobs, served by a thread of its own for as long as the block lasts."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
    started, loop, stop = threading.Event(), asyncio.new_event_loop(), asyncio.Event()
    failed: list[BaseException] = []

    async def serve() -> None:
        async with open_runtime(settings, check_schema=check_schema, reader=reader, embedder=embedder) as runtime:
            config = uvicorn.Config(create_app(settings, runtime=runtime), log_config=None, timeout_graceful_shutdown=3)
            server = uvicorn.Server(config)
            # `serve` itself wants the signals of the main thread.
            task = asyncio.create_task(server._serve(sockets=[listening]))
            worker = asyncio.create_task(run_worker(runtime, stop=stop))
            while not (server.started or task.done()):
                await asyncio.sleep(0.01)
            started.set()
            await stop.wait()
            server.should_exit = True
            await asyncio.gather(task, worker)

    def run() -> None:
        try:
            loop.run_until_complete(serve())
        except BaseException as error:
            failed.append(error)
            raise
        finally:
            started.set()
            loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(60)
    assert not failed, failed
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60)
        listening.close()


@pytest.fixture
def live(settings: Settings, embedder: Embedder) -> Iterator[str]:
    """The URL of a service on a real socket."""
    with serving(settings, colour_reader(), embedder) as url:
        yield url


@pytest.fixture
def problem() -> Callable[[httpx.Response, int], dict[str, object]]:
    """Checks that a response is a problem of a status, and returns it."""

    def check(response: httpx.Response, status: int) -> dict[str, object]:
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "application/problem+json"
        body: dict[str, object] = response.json()
        assert body["status"] == status
        assert body["request_id"] == response.headers["x-request-id"]
        assert str(body["type"]).startswith("/problems/")
        assert body["title"]
        assert body["detail"]
        return body

    return check
