"""`python -m benchmarks.memory`: memory of the service in one process, at rest and under 50 concurrent questions.

The service runs as `credence serve --all` on a database of its own and reads with a simulated model server that takes
0.2 s a reading. Its memory is the resident set of its process; that of the embedded Postgres is the proportional set
size (Pss) summed over its processes, which share their buffers.
"""

import asyncio
import time
from pathlib import Path

import httpx
import psutil

from benchmarks.harness import Benchmark, Headline, Report, database, run
from benchmarks.harness.processes import postgres_mib, resident_mib
from benchmarks.harness.service import Service
from registry.platform.database.engine import libpq_url
from tests.fakes.openai_server import FakeOpenAIServer, slow

BENCHMARK = Benchmark(
    "memory",
    "memory of the service at rest and under load",
    page="storage",
    headlines=(
        Headline("service at rest", "rest_mib", higher_is_better=False, form=".0f MiB"),
        Headline("service under 50 concurrent questions", "peak_mib", higher_is_better=False, form=".0f MiB"),
    ),
)

CONCURRENT = 50
READING_SECONDS = 0.2


def measure(report: Report) -> None:
    """Measure the processes at rest and while questions are answered."""
    with database.temporary_server() as (url, folder), FakeOpenAIServer() as model:
        database.fill(url, sources=20, passages_each=100)
        model.chat = slow("IDK", READING_SECONDS)
        asyncio.run(_measure(report, libpq_url(url), model.url, folder))


async def _measure(report: Report, database_url: str, model_url: str, folder: Path) -> None:
    settings = {
        "DATABASE_URL": database_url,
        "CREDENCE_READER": "openai",
        "CREDENCE_READER_URL": model_url,
        "CREDENCE_READER_MODEL": "fake",
        "CREDENCE_READER_CONCURRENCY": "64",
        "CREDENCE_CONCURRENT_ANSWERS": "64",
        "CREDENCE_LOG_LEVEL": "WARNING",
    }
    service = Service(folder / "service.log", settings, "--all")
    async with service.running() as process:
        await asyncio.sleep(3)
        rest, postgres_rest = resident_mib(process), postgres_mib(folder)
        peak, seconds, answered = await _under_load(process, service.url, 1 if report.options.quick else 5)
        postgres_peak = postgres_mib(folder)
    rows = [
        ["at rest", f"{rest:.0f}", f"{postgres_rest:.0f}"],
        [f"under {CONCURRENT} questions at once", f"{peak:.0f}", f"{postgres_peak:.0f}"],
    ]
    report.table("Memory in MiB", ["", "service", "embedded Postgres"], rows)
    report.table("Load", ["questions answered", "seconds"], [[answered, f"{seconds:.1f}"]])
    report.figure("rest_mib", rest)
    report.figure("peak_mib", peak)


async def _under_load(process: psutil.Process, base: str, rounds: int) -> tuple[float, float, int]:
    """Peak resident set in MiB, seconds, and the number of questions answered."""
    began = time.perf_counter()
    peak = resident_mib(process)
    async with httpx.AsyncClient(base_url=base, timeout=300, limits=httpx.Limits(max_connections=None)) as client:
        answered = 0
        for number in range(rounds):
            pending = asyncio.gather(*(_ask(client, f"{number}-{index}") for index in range(CONCURRENT)))
            while not pending.done():
                peak = max(peak, resident_mib(process))
                await asyncio.sleep(0.05)
            answered += sum(await pending)
    return peak, time.perf_counter() - began, answered


async def _ask(client: httpx.AsyncClient, name: str) -> bool:
    response = await client.post("/v1/corpora/default/answers", json={"question": f"What is the number of {name}?"})
    return response.is_success


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
