"""Hostile files of every kind in the folders and feeds of connectors: none of them ends the service."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.drill.service import Liveness, Service
from benchmarks.harness import progress
from benchmarks.harness.service import CORPUS
from registry.platform.concurrency import in_background
from tests.fakes.hostile_files import ATTACKS, NEEDED, hostile_files
from tests.fakes.hostile_files.draws import SECRET
from tests.fakes.hostile_files.web import warc
from tests.fakes.web_server import FakeWebServer, Reply

GOOD = "The tower is red."
SECRET_LINE = Path(SECRET).read_text(encoding="utf-8").splitlines()[0]
RUN_SECONDS = 3600.0
CONNECTORS = {"warc": "archive", "xml": "feed"}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a connector made of hostile files of one kind."""

    kind: str
    files: int
    read: int
    refused: int
    """Each with its name and the reason."""
    seconds: float
    lost: int
    """Processes that ended, files without a word, the good file if it was not read, and texts of other files."""


async def read_hostile_files(service: Service, folder: Path, counts: Mapping[str, int]) -> tuple[list[Reading], float]:
    """A run of a connector for each kind whose libraries are there; also the longest that `/livez` took."""
    liveness = Liveness()
    readings = []
    async with service.client() as client, in_background(liveness.watch(client)):
        for kind, count in counts.items():
            if kind in NEEDED and find_spec(NEEDED[kind]) is None:
                progress(f"{kind}: left out, as {NEEDED[kind]} is not installed")
                continue
            async with _placed(folder / kind, kind, count) as config:
                readings.append(await _read(service, client, kind, count, config))
    return readings, liveness.longest


def spread(files: int) -> dict[str, int]:
    """So many files over all kinds."""
    kinds = list(ATTACKS)
    return {kind: files // len(kinds) + (number < files % len(kinds)) for number, kind in enumerate(kinds)}


@contextlib.asynccontextmanager
async def _placed(folder: Path, kind: str, count: int) -> AsyncIterator[dict[str, object]]:
    """The configuration of a connector that reads the files and a good one, which comes last."""
    files = {f"{number:03}.{kind}": content for number, (_, content) in enumerate(hostile_files(kind, count))}
    if kind == "xml":
        async with FakeWebServer() as web:
            feed = f"<rss version='2.0'><channel><item><title>{GOOD}</title></item></channel></rss>"
            for name, content in {**files, "good": feed.encode()}.items():
                web.pages[f"/{name}"] = Reply(content, media_type="application/rss+xml")
            yield {"urls": [web.url + path for path in web.pages]}
        return
    good = (
        {"z.warc": warc(GOOD.encode(), "Content-Type: text/plain", url="https://good.example/a")}
        if kind == "warc"
        else {"z.txt": GOOD.encode()}
    )
    await asyncio.to_thread(_write, folder, {**files, **good})
    yield {"path": str(folder), **({} if kind == "warc" else {"source": f"hostile {kind}"})}


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


async def _read(
    service: Service, client: httpx.AsyncClient, kind: str, count: int, config: dict[str, object]
) -> Reading:
    process, began = psutil.Process(service.process_id).create_time(), time.perf_counter()
    body = {"name": kind, "kind": CONNECTORS.get(kind, "folder"), "config": config}
    made = (await client.post(f"{CORPUS}/connectors", json=body)).raise_for_status().headers["location"]
    (await client.post(f"{made}:run")).raise_for_status()
    ended: dict[str, Any] = {"status": "queued"}
    while ended["status"] in {"queued", "running"} and time.perf_counter() - began < RUN_SECONDS:
        await asyncio.sleep(0.2)
        ended = (await client.get(made)).raise_for_status().json()
    report = ended["report"] or {}
    texts = [text async for text in _texts(client)]
    refused = report.get("failed", 0) + report.get("rejected", 0)
    lost = int(ended["status"] != "succeeded" or report.get("locations") != count + 1)
    lost += int(
        not psutil.pid_exists(service.process_id) or psutil.Process(service.process_id).create_time() != process
    )
    lost += int(GOOD not in texts) + sum("log has the details" in problem["error"] for problem in report["problems"])
    lost += sum(SECRET_LINE in text for text in texts)
    return Reading(kind, count, count + 1 - report.get("failed", 0), refused, time.perf_counter() - began, lost)


async def _texts(client: httpx.AsyncClient) -> AsyncIterator[str]:
    for source in (await client.get(f"{CORPUS}/sources", params={"limit": 200})).json()["items"]:
        at = f"{CORPUS}/sources/{source['id']}/documents"
        for document in (await client.get(at, params={"limit": 200})).json()["items"]:
            yield (await client.get(f"{at}/{document['id']}")).json()["content"]
