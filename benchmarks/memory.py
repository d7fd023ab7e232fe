"""`python -m benchmarks.memory`: memory of the service in one process, at rest and under 50 concurrent questions.

The service runs as `credence serve --all` on a database of its own and reads with a simulated model server that takes
0.2 s a reading. Its memory is the resident set of its process; that of the embedded Postgres is the proportional set
size (Pss) summed over its processes, which share their buffers.
"""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil

from benchmarks.harness import Benchmark, CannotMeasureError, Headline, Report, database, run
from registry.database.engine import libpq_url
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
START_SECONDS = 60.0
MIB = 2**20


def measure(report: Report) -> None:
    """Measure the processes at rest and while questions are answered."""
    rounds = 1 if report.options.quick else 5
    with database.temporary_server() as (url, folder), FakeOpenAIServer() as model:
        database.fill(url, sources=20, passages_each=100)
        model.chat = slow("IDK", READING_SECONDS)
        with _service(libpq_url(url), model.url, folder) as (process, base):
            time.sleep(3)
            rest, postgres_rest = _resident(process), _postgres_mib(folder)
            peak, seconds, answered = asyncio.run(_under_load(process, base, rounds))
            postgres_peak = _postgres_mib(folder)
    rows = [
        ["at rest", f"{rest:.0f}", f"{postgres_rest:.0f}"],
        [f"under {CONCURRENT} questions at once", f"{peak:.0f}", f"{postgres_peak:.0f}"],
    ]
    report.table("Memory in MiB", ["", "service", "embedded Postgres"], rows)
    report.table("Load", ["questions answered", "seconds"], [[answered, f"{seconds:.1f}"]])
    report.figure("rest_mib", rest)
    report.figure("peak_mib", peak)


@contextlib.contextmanager
def _service(database_url: str, model_url: str, folder: Path) -> Iterator[tuple[psutil.Process, str]]:
    environment = os.environ | {
        "DATABASE_URL": database_url,
        "CREDENCE_READER": "openai",
        "CREDENCE_READER_URL": model_url,
        "CREDENCE_READER_MODEL": "fake",
        "CREDENCE_READER_CONCURRENCY": "64",
        "CREDENCE_CONCURRENT_ANSWERS": "64",
        "CREDENCE_PORT": "0",
        "CREDENCE_LOG_LEVEL": "WARNING",
    }
    log = folder / "service.log"
    with log.open("wb") as output:
        service = subprocess.Popen(
            [str(Path(sys.executable).with_name("credence")), "serve", "--all"],
            env=environment,
            stdout=output,
            stderr=output,
        )
    process = psutil.Process(service.pid)
    try:
        yield process, _base_url(process, log)
    finally:
        service.terminate()
        service.wait(30)


def _base_url(process: psutil.Process, log: Path) -> str:
    """The address of the service, once it is ready."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.status() != psutil.STATUS_ZOMBIE:
        for connection in process.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN:
                base = f"http://127.0.0.1:{connection.laddr.port}"
                with contextlib.suppress(httpx.HTTPError):
                    if httpx.get(f"{base}/readyz").status_code == httpx.codes.OK:
                        return base
        time.sleep(0.2)
    raise CannotMeasureError(f"the service did not start: {log.read_text()[-500:]}")


async def _under_load(process: psutil.Process, base: str, rounds: int) -> tuple[float, float, int]:
    """Peak resident set in MiB, seconds, and the number of questions answered."""
    began = time.perf_counter()
    peak = _resident(process)
    async with httpx.AsyncClient(base_url=base, timeout=300, limits=httpx.Limits(max_connections=None)) as client:
        answered = 0
        for number in range(rounds):
            pending = asyncio.gather(*(_ask(client, f"{number}-{index}") for index in range(CONCURRENT)))
            while not pending.done():
                peak = max(peak, _resident(process))
                await asyncio.sleep(0.05)
            answered += sum(await pending)
    return peak, time.perf_counter() - began, answered


async def _ask(client: httpx.AsyncClient, name: str) -> bool:
    response = await client.post("/v1/corpora/default/answers", json={"question": f"What is the number of {name}?"})
    return response.is_success


def _resident(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / MIB


def _postgres_mib(folder: Path) -> float:
    """Pss of the server whose data lie in the folder, in MiB."""
    main = int((folder / "postgres" / "postmaster.pid").read_text().split()[0])
    processes = [psutil.Process(main), *psutil.Process(main).children(recursive=True)]
    return float(sum(process.memory_full_info().pss for process in processes)) / MIB


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
