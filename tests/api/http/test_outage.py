"""The database away for a while: 503 meanwhile, and well again by itself."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
from fastapi import FastAPI
from sqlalchemy.engine import URL
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.app import create_app
from migrations import control
from registry.estimations import service as estimation
from registry.platform.database.engine import libpq_url
from registry.platform.settings import Settings
from registry.runtime import open_runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.api.http.routes.test_estimations import events
from tests.eventually import eventually
from tests.registry.world import colour_reader

Problem = Callable[[httpx.Response, int], dict[str, Any]]
Lines = Callable[[], URL]


@asynccontextmanager
async def started(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a service with all that it does beside requests."""
    async with open_runtime(settings, check_schema=control.check_schema) as runtime:
        app = create_app(settings, runtime=runtime)
        async with app.router.lifespan_context(app), client_of(app) as client:
            yield client


async def ready(client: httpx.AsyncClient) -> None:
    async def is_ready() -> bool:
        return (await client.get("/readyz")).status_code == 200

    await eventually(is_ready)


def settings_for(url: URL, folder: Path) -> Settings:
    return Settings(database_url=libpq_url(url), data_dir=folder, database_timeout_seconds=10)


async def test_a_database_that_breaks_off_and_comes_back(
    new_database: Callable[[], URL], tmp_path: Path, problem: Problem
) -> None:
    url = new_database()
    await asyncio.to_thread(control.upgrade, url)
    async with started(settings_for(url, tmp_path)) as client:
        kept = await client.post(f"{CORPUS}/sources", json={"name": "Acme"})
        assert kept.status_code == 201
        with closed_to_all(url):
            failures = [await client.get(f"{CORPUS}/sources") for _ in range(3)]
            failures.append(
                await client.post(f"{CORPUS}/sources", json={"name": "b"}, headers={"Idempotency-Key": "k"})
            )
            failures.append(await client.get("/readyz"))
            for failure in failures:
                problem(failure, 503)
                assert failure.headers["retry-after"]
            assert (await client.get("/livez")).status_code == 200
            assert (await client.get("/metrics")).status_code == 200
        await ready(client)
        again = await client.post(f"{CORPUS}/sources", json={"name": "b"}, headers={"Idempotency-Key": "k"})
        assert again.status_code == 201
        assert [source["name"] for source in (await client.get(f"{CORPUS}/sources")).json()["items"]] == ["Acme", "b"]


async def test_an_event_stream_breaks_off_and_is_resumed(new_database: Callable[[], URL], tmp_path: Path) -> None:
    url = new_database()
    await asyncio.to_thread(control.upgrade, url)
    settings = settings_for(url, tmp_path)
    async with (
        open_runtime(settings, check_schema=control.check_schema, reader=colour_reader()) as runtime,
        client_of(app := create_app(settings, runtime=runtime)) as client,
        client_of(announced(app, event_sent := asyncio.Event())) as follower,
    ):
        started = await client.post(f"{CORPUS}/estimations")
        following = asyncio.create_task(follower.get(f"{started.headers['location']}/events"))
        await event_sent.wait()
        with closed_to_all(url):
            broken = await following
        assert broken.status_code == 200
        first = [step for step in events(broken.text) if "event" in step]
        assert [step["event"] for step in first] == ["queued"]
        await ready(client)
        await estimation.run(runtime, started.json()["id"])
        resumed = await client.get(f"{started.headers['location']}/events", headers={"Last-Event-ID": first[-1]["id"]})
        rest = [step["event"] for step in events(resumed.text) if "event" in step]
        assert rest == ["running", "failed"]


def announced(app: FastAPI, sent: asyncio.Event) -> ASGIApp:
    """The app, which sets `sent` once an event of a stream was sent."""

    async def announcing(scope: Scope, receive: Receive, send: Send) -> None:
        async def forward(message: Message) -> None:
            await send(message)
            if b"event:" in message.get("body", b""):
                sent.set()

        await app(scope, receive, forward)

    return announcing


class closed_to_all:  # noqa: N801  (used as a statement)
    """Ends all connections of a database and lets none in for as long as the block lasts."""

    def __init__(self, url: URL) -> None:
        self._name = url.database
        self._server = libpq_url(url.set(database="postgres"))

    def __enter__(self) -> None:
        self._allow(False)
        with psycopg.connect(self._server, autocommit=True) as session:
            session.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (self._name,))

    def __exit__(self, *_: object) -> None:
        self._allow(True)

    def _allow(self, allowed: bool) -> None:
        with psycopg.connect(self._server, autocommit=True) as session:
            session.execute(f'ALTER DATABASE "{self._name}" WITH ALLOW_CONNECTIONS {allowed}')
