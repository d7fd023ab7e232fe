"""The service as a process of its own, what is written to it meanwhile, and whether it lives."""

import asyncio
import contextlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness import service
from benchmarks.harness.service import CORPUS, ndjson
from tests.fakes.openai_server import FakeOpenAIServer, Reply, prompt_of, slow

READING_SECONDS = 0.05
READER_SLOTS = 4
TOWERS = ("Aldra", "Brin", "Corvo", "Dunmore", "Esk", "Fallow", "Garth", "Holm")
STATEMENT = re.compile(r"The tower of (\w+) is painted (\w+)\.")
QUESTION = re.compile(r"tower of (\w+) painted")
# Thousands of sources in the corpus of the questions would make its estimations take minutes.
WRITTEN = "/v1/corpora/written"


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


class Service(service.Service):
    """`credence serve --all` on an embedded PostgreSQL."""

    def __init__(self, folder: Path, model: FakeOpenAIServer, **settings: str) -> None:
        self.data_dir = folder / "data"
        values = {
            "CREDENCE_DATA_DIR": str(self.data_dir),
            "CREDENCE_READER": "openai",
            "CREDENCE_READER_URL": model.url,
            "CREDENCE_READER_MODEL": "fake",
            "CREDENCE_READER_CONCURRENCY": str(READER_SLOTS),
            "CREDENCE_JOB_HEARTBEAT_SECONDS": "0.5",
            # A run that begins by itself would be in the way of those that are killed.
            "CREDENCE_FOLLOW_SECONDS": "0",
            "CREDENCE_REQUESTS_PER_MINUTE": "1000000",
        }
        super().__init__(folder / "service.log", values | settings, "--all")

    @property
    def postgres_id(self) -> int:
        """The process of the embedded PostgreSQL."""
        return int((self.data_dir / "postgres" / "postmaster.pid").read_text().split()[0])

    async def fill(self) -> None:
        """Six sources on eight towers, two of which say otherwise, and a corpus for writers."""
        lines = [
            {"source": f"Source {source}", "external_id": tower, "content": _statement(source, tower)}
            for source in range(6)
            for tower in TOWERS
        ]
        async with self.client() as client:
            (await client.post(f"{CORPUS}/documents:import", **ndjson(lines))).raise_for_status()
            for number in range(len(TOWERS)):
                (await client.post(f"{CORPUS}/queries", json={"text": question(number)})).raise_for_status()
            (await client.post("/v1/corpora", json={"name": WRITTEN.rpartition("/")[2]})).raise_for_status()


def _statement(source: int, tower: str) -> str:
    return f"The tower of {tower} is painted {'red' if source < 4 else 'black'}."


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
                status = (await self.client.post(f"{WRITTEN}/sources", json={"name": name})).status_code
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
            page = (await self.client.get(f"{WRITTEN}/sources", params=parameters)).raise_for_status().json()
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
            # An idle connection may be closed as it is asked on; of a service that ended the next look fails.
            with contextlib.suppress(httpx.RemoteProtocolError):
                response = await client.get("/livez")
                self.longest = max(self.longest, time.perf_counter() - began)
                self.failures += response.status_code != 200
            await asyncio.sleep(0.02)


@contextlib.contextmanager
def model_server() -> Iterator[FakeOpenAIServer]:
    """The model server."""
    with FakeOpenAIServer() as model:
        model.chat = read
        yield model
