"""The service as a process of its own, what is written to it meanwhile, and whether it lives."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness import CannotMeasureError
from tests.fakes.openai_server import FakeOpenAIServer, Reply, prompt_of, slow

CORPUS = "/v1/corpora/default"
READING_SECONDS = 0.05
READER_SLOTS = 4
TOWERS = ("Aldra", "Brin", "Corvo", "Dunmore", "Esk", "Fallow", "Garth", "Holm")
STATEMENT = re.compile(r"The tower of (\w+) is painted (\w+)\.")
QUESTION = re.compile(r"tower of (\w+) painted")
READY_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Promise:
    """What must hold, how often it was tried, how often it did not hold, and the worst that was seen."""

    name: str
    trials: int
    losses: int
    worst: str = ""


def question(number: int) -> str:
    """A question that no other number has."""
    return f"What colour is the tower of {TOWERS[number % len(TOWERS)]} painted? ({number})"


def read(body: dict[str, Any]) -> Reply:
    """The reading of a passage as the model server gives it."""
    prompt = prompt_of(body)
    asked = QUESTION.search(prompt)
    colours = dict(STATEMENT.findall(prompt))
    return slow(colours.get(asked.group(1), "IDK") if asked else "IDK", READING_SECONDS)


class Service:
    """`credence serve --all` on an embedded PostgreSQL, always at the same address."""

    def __init__(self, folder: Path, model: FakeOpenAIServer, **settings: str) -> None:
        self.data_dir = folder / "data"
        self.log = folder / "service.log"
        self.url = f"http://127.0.0.1:{_free_port()}"
        self.environment = os.environ | {
            "CREDENCE_DATA_DIR": str(self.data_dir),
            "CREDENCE_READER": "openai",
            "CREDENCE_READER_URL": model.url,
            "CREDENCE_READER_MODEL": "fake",
            "CREDENCE_READER_CONCURRENCY": str(READER_SLOTS),
            "CREDENCE_JOB_HEARTBEAT_SECONDS": "0.5",
            "CREDENCE_REQUESTS_PER_MINUTE": "1000000",
            **settings,
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process_id(self) -> int:
        """The service's own process."""
        assert self._process is not None  # noqa: S101  (it was started)
        return self._process.pid

    @property
    def postgres_id(self) -> int:
        """The process of the embedded PostgreSQL."""
        return int((self.data_dir / "postgres" / "postmaster.pid").read_text().split()[0])

    async def start(self) -> float:
        """Start it and wait until it is ready; returns the seconds that took."""
        port = self.url.rpartition(":")[2]
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(  # noqa: ASYNC220  (it is waited for below)
                [*credence(), "serve", "--all", "--port", port], env=self.environment, stdout=output, stderr=output
            )
        return await self.until_ready()

    async def until_ready(self) -> float:
        """Wait for `/readyz`; returns the seconds that took. Raises `CannotMeasureError` where it never comes."""
        began = time.perf_counter()
        async with self.client() as client:
            while time.perf_counter() - began < READY_SECONDS:
                with contextlib.suppress(httpx.TransportError):
                    if (await client.get("/readyz")).status_code == 200:
                        return time.perf_counter() - began
                await asyncio.sleep(0.05)
        raise CannotMeasureError(f"the service was not ready after {READY_SECONDS:.0f} s; its log is {self.log}")

    async def stop(self, number: int = signal.SIGTERM) -> float:
        """Send a signal and wait for the end; returns the seconds that took."""
        assert self._process is not None  # noqa: S101  (it was started)
        began = time.perf_counter()
        self._process.send_signal(number)
        await asyncio.to_thread(self._process.wait, READY_SECONDS)
        return time.perf_counter() - began

    def client(self) -> httpx.AsyncClient:
        """A client of it that opens as many connections as it wants."""
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        return httpx.AsyncClient(base_url=self.url, timeout=READY_SECONDS, limits=limits)

    async def fill(self) -> None:
        """Six sources on eight towers, two of which say otherwise."""
        lines = [
            {"source": f"Source {source}", "external_id": tower, "content": _statement(source, tower)}
            for source in range(6)
            for tower in TOWERS
        ]
        async with self.client() as client:
            (await client.post(f"{CORPUS}/documents:import", **ndjson(lines))).raise_for_status()
            for number in range(len(TOWERS)):
                (await client.post(f"{CORPUS}/queries", json={"text": question(number)})).raise_for_status()


def _statement(source: int, tower: str) -> str:
    return f"The tower of {tower} is painted {'red' if source < 4 else 'black'}."


def credence() -> list[str]:
    """The command of this installation."""
    return [str(Path(sys.executable).with_name("credence"))]


def ndjson(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The arguments of a request with these lines."""
    content = "\n".join(map(json.dumps, lines))
    return {"content": content.encode(), "headers": {"Content-Type": "application/x-ndjson"}}


@dataclass(slots=True)
class Writer:
    """Makes source after source; a service that is down or busy is asked again."""

    client: httpx.AsyncClient
    pause: float = 0.005
    """Seconds between two sources."""
    committed: set[str] = field(default_factory=set)
    unexpected: list[int] = field(default_factory=list)

    async def run(self) -> None:
        """Write until cancelled."""
        number = 0
        while True:
            name = f"written {id(self)} {number}"
            with contextlib.suppress(httpx.TransportError):
                status = (await self.client.post(f"{CORPUS}/sources", json={"name": name})).status_code
                if status in {201, 409}:  # 409: it was committed before the answer was lost
                    self.committed.add(name)
                    number += 1
                elif status != 503:
                    self.unexpected.append(status)
            await asyncio.sleep(self.pause)

    async def missing(self) -> int:
        """How many committed sources are not listed."""
        listed: set[str] = set()
        cursor: str | None = None
        while True:
            parameters = {"limit": 200} | ({"cursor": cursor} if cursor else {})
            page = (await self.client.get(f"{CORPUS}/sources", params=parameters)).raise_for_status().json()
            listed |= {source["name"] for source in page["items"]}
            cursor = page["next_cursor"]
            if cursor is None:
                return len(self.committed - listed)


@dataclass(slots=True)
class Liveness:
    """The longest that `/livez` took, in seconds, and how often it was not 200."""

    longest: float = 0.0
    failures: int = 0

    async def watch(self, client: httpx.AsyncClient) -> None:
        """Ask until cancelled."""
        while True:
            began = time.perf_counter()
            response = await client.get("/livez")
            self.longest = max(self.longest, time.perf_counter() - began)
            self.failures += response.status_code != 200
            await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def beside(work: Any) -> AsyncIterator[None]:  # noqa: ANN401  (a coroutine of any kind)
    """Run a coroutine for as long as the block lasts."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@contextlib.contextmanager
def model_server() -> Iterator[FakeOpenAIServer]:
    """The model server."""
    with FakeOpenAIServer() as model:
        model.chat = read
        yield model


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
