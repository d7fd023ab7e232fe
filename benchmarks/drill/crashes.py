"""PostgreSQL and the service are killed while they are written to; backups are taken under writes."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from benchmarks.drill.service import READER_SLOTS, Promise, Service, Writer, question
from benchmarks.harness.service import CORPUS, credence
from registry.platform.concurrency import in_background
from tests.fakes.openai_server import FakeOpenAIServer, prompt_of

READY_AGAIN_SECONDS = 10.0
RUN_SECONDS = 900.0
# Of a run that is killed: its new queries, each read from six sources, and the readings after which the kill comes.
QUERIES_A_RUN = 8
READINGS_BEFORE_KILL = 6
FIRST_QUERY = 1_000_000


async def killed_postgres(service: Service, kills: int) -> list[Promise]:
    """`kill -9` of PostgreSQL: it is ready again by itself, and nothing that was committed is lost."""
    longest, late = 0.0, 0
    async with service.client() as client:
        writer = Writer(client)
        async with in_background(writer.run()):
            for _ in range(kills):
                await asyncio.sleep(0.5)
                began = time.perf_counter()
                os.kill(service.postgres_id, signal.SIGKILL)
                await _until_unready(client)
                await service.until_ready()
                seconds = time.perf_counter() - began
                longest, late = max(longest, seconds), late + (seconds > READY_AGAIN_SECONDS)
        missing = await writer.missing()
    unexpected = len(writer.unexpected)
    return [
        Promise("PostgreSQL that was killed is ready within 10 s, without a person", kills, late, f"{longest:.1f} s"),
        Promise("no committed row is lost, no other status than 503", len(writer.committed), missing + unexpected),
    ]


async def _until_unready(client: httpx.AsyncClient) -> None:
    """Wait for the first 503, or a second: a restart may be faster than the look at it."""
    began = time.perf_counter()
    while time.perf_counter() - began < 1.0 and (await client.get("/readyz")).status_code == 200:
        pass


@dataclass(slots=True)
class KilledRuns:
    """Runs that ended otherwise than `succeeded`, and the readings of each that were made more than once."""

    unfinished: int = 0
    readings: int = 0
    repeated: list[int] = field(default_factory=list)

    @property
    def over_slots(self) -> int:
        """The runs of which more readings were repeated than can be under way at once."""
        return sum(repeated > READER_SLOTS for repeated in self.repeated)


async def killed_service(service: Service, model: FakeOpenAIServer, kills: int) -> list[Promise]:
    """`kill -9` of the service in the middle of a run: the run ends whole, at most one reading a slot is repeated."""
    runs = KilledRuns()
    async with service.client() as client:
        # Slowly: it may not take the processor from the runs.
        writer = Writer(client, pause=0.1)
        async with in_background(writer.run()):
            for number in range(kills):
                await _kill_in_run(service, model, client, number, runs)
        missing = await writer.missing()
    worst = f"{max(runs.repeated)}; {sum(runs.repeated)} of {runs.readings:,} in all"
    return [
        Promise("no committed row is lost when the service is killed", len(writer.committed), missing),
        Promise("a run whose service is killed ends whole", kills, runs.unfinished),
        Promise("at most one reading a slot is repeated after a kill", kills, runs.over_slots, worst),
    ]


async def _kill_in_run(
    service: Service, model: FakeOpenAIServer, client: httpx.AsyncClient, number: int, runs: KilledRuns
) -> None:
    """Start a run over queries that are new, kill the service after some readings, start it and await the run."""
    for query in range(QUERIES_A_RUN):
        text = question(FIRST_QUERY + number * QUERIES_A_RUN + query)
        (await client.post(f"{CORPUS}/queries", json={"text": text})).raise_for_status()
    before = len(model.requests)
    run = (await client.post(f"{CORPUS}/estimations", json={})).raise_for_status().headers["location"]
    await _until_read(model, before + READINGS_BEFORE_KILL)
    await service.stop(signal.SIGKILL)
    await service.start()
    status = await _end_of(client, run)
    sources = (await client.get(f"{run}/sources", params={"limit": 200})).json()["items"]
    runs.unfinished += status != "succeeded" or not sources
    readings = Counter(prompt_of(request.body) for request in model.requests[before:] if "messages" in request.body)
    runs.readings += readings.total()
    runs.repeated.append(readings.total() - len(readings))


async def _until_read(model: FakeOpenAIServer, count: int) -> None:
    """Wait until the model server had so many requests; a run that does not read shows in how it ends."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(RUN_SECONDS):
            while len(model.requests) < count:  # noqa: ASYNC110  (another process asks it)
                await asyncio.sleep(0.01)


async def _end_of(client: httpx.AsyncClient, run: str) -> str:
    began = time.perf_counter()
    status = "running"
    while status in {"queued", "running"} and time.perf_counter() - began < RUN_SECONDS:
        await asyncio.sleep(0.1)
        status = (await client.get(run)).json()["status"]
    return status


async def backups(service: Service, folder: Path, count: int) -> list[Promise]:
    """Backups while sources are written: each is restored into an empty database with equal checksums."""
    losses = 0
    async with service.client() as client, in_background(Writer(client).run()):
        for number in range(count):
            file = folder / f"{number}.backup"
            losses += await _fails(service.environment, "backup", str(file))
            elsewhere = service.environment | {"CREDENCE_DATA_DIR": str(folder / f"restored-{number}")}
            losses += await _fails(elsewhere, "restore", str(file))
    return [Promise("a backup under writes is restored with equal checksums", count, losses)]


async def _fails(environment: dict[str, str], *arguments: str) -> bool:
    command = [*credence(), *arguments]
    done = await asyncio.to_thread(subprocess.run, command, env=environment, capture_output=True, check=False)
    return done.returncode != 0
