"""PostgreSQL and the service are killed while they are written to; backups are taken under writes."""

import asyncio
import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import httpx

from benchmarks.drill.service import CORPUS, READER_SLOTS, Promise, Service, Writer, beside, credence
from tests.fakes.openai_server import FakeOpenAIServer, prompt_of

READY_AGAIN_SECONDS = 10.0
RUN_SECONDS = 120.0


async def killed_postgres(service: Service, kills: int) -> list[Promise]:
    """`kill -9` of PostgreSQL: it is ready again by itself, and nothing that was committed is lost."""
    longest, late = 0.0, 0
    async with service.client() as client:
        writer = Writer(client)
        async with beside(writer.run()):
            for _ in range(kills):
                await asyncio.sleep(0.5)
                os.kill(service.postgres_id, signal.SIGKILL)
                await _until_unready(client)
                seconds = await service.until_ready()
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


async def killed_service(service: Service, model: FakeOpenAIServer, kills: int) -> list[Promise]:
    """`kill -9` of the service in the middle of a run: the run ends whole, at most one reading a slot is repeated."""
    before = len(model.requests)
    async with service.client() as client:
        writer = Writer(client)
        run = (await client.post(f"{CORPUS}/estimations", json={})).raise_for_status().headers["location"]
        async with beside(writer.run()):
            for _ in range(kills):
                await asyncio.sleep(1.0)
                await service.stop(signal.SIGKILL)
                await service.start()
        status = await _end_of(client, run)
        sources = (await client.get(f"{run}/sources", params={"limit": 200})).json()["items"]
        missing = await writer.missing()
    readings = Counter(prompt_of(request.body) for request in model.requests[before:] if "messages" in request.body)
    repeated = readings.total() - len(readings)
    allowed = READER_SLOTS * kills
    return [
        Promise("no committed row is lost when the service is killed", len(writer.committed), missing),
        Promise("a run that was killed ends whole", kills, int(status != "succeeded" or not sources)),
        Promise(
            "at most one reading a slot is repeated after a kill",
            kills,
            max(0, repeated - allowed),
            f"{repeated} of {readings.total()}",
        ),
    ]


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
    async with service.client() as client, beside(Writer(client).run()):
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
