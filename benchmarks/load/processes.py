"""The service, its workers and their database, and samples of them while they work."""

import asyncio
import contextlib
import json
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from sqlalchemy import text
from sqlalchemy.engine import URL

from benchmarks.harness.processes import MIB, private_postgres_mib, resident_mib
from benchmarks.harness.service import Service, start_process
from registry.jobs.worker import CONCURRENCY
from registry.platform.database.engine import MOST_LOCKS, Database, libpq_url
from registry.platform.database.job_queue import POOL_SIZE, job_counts
from registry.platform.settings import Settings

STATE = text(
    "SELECT pg_database_size(current_database()),"
    " (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid())"
)

OWN_CONNECTIONS = 2
CLOSING_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Sample:
    """The state of all processes at a moment."""

    at: float
    """Seconds since the beginning."""
    service: float
    """MiB, as those below."""
    worker: float
    """The mean of the workers."""
    postgres: float
    """What its processes do not share: the buffers, whose size is fixed, fill as the database grows."""
    database: float
    """On disk."""
    database_connections: int
    http_connections: int
    waiting: int
    """Jobs that wait."""
    oldest: float
    """Seconds since the oldest of them was queued."""


@dataclass(slots=True)
class Processes:
    """Everything that is measured."""

    service: Service
    folder: Path
    database: Database
    main: psutil.Process
    workers: list[psutil.Process]
    samples: list[Sample] = field(default_factory=list)

    async def sample(self, pause: float) -> None:
        """Take a sample every `pause` seconds until cancelled."""
        began = time.perf_counter()
        while True:
            self.samples.append(await self._sample(time.perf_counter() - began))
            await asyncio.sleep(pause)

    async def _sample(self, at: float) -> Sample:
        async with self.database.begin() as session:
            size, connections = (await session.execute(STATE)).one()
            waiting = [count for count in await job_counts(session) if count.state == "waiting"]
        return Sample(
            at=at,
            service=resident_mib(self.main),
            worker=sum(map(resident_mib, self.workers)) / max(len(self.workers), 1),
            postgres=await asyncio.to_thread(private_postgres_mib, self.folder),
            database=size / MIB,
            database_connections=connections,
            http_connections=_connections(self.main, self.service.port),
            waiting=sum(count.jobs for count in waiting),
            oldest=max((count.oldest_seconds for count in waiting), default=0.0),
        )

    @property
    def most_connections(self) -> int:
        """To PostgreSQL: of each process its pools, and of a worker one to listen to each queue."""
        workers, pool = len(self.workers), int(Settings.model_fields["database_pool_size"].default)
        return (1 + workers) * (pool + POOL_SIZE + MOST_LOCKS) + workers * len(CONCURRENCY) + OWN_CONNECTIONS

    async def left_open(self) -> int:
        """Connections of clients that the service still holds some seconds after the clients closed theirs."""
        await asyncio.sleep(CLOSING_SECONDS)
        return _connections(self.main, self.service.port)

    def logged(self) -> Counter[tuple[str, str]]:
        """The warnings and errors in the logs, by level and event."""
        counts: Counter[tuple[str, str]] = Counter()
        for log in self.folder.glob("*.log"):
            for line in log.read_text().splitlines():
                with contextlib.suppress(ValueError):
                    entry = json.loads(line)
                    counts[entry["level"], str(entry["event"])[:80]] += 1
        return counts


@contextlib.asynccontextmanager
async def running(url: URL, folder: Path, worker_count: int) -> AsyncIterator[Processes]:
    """The service with its workers, for the duration of the block."""
    settings = {
        "DATABASE_URL": libpq_url(url),
        "CREDENCE_LOG_LEVEL": "WARNING",
        "CREDENCE_LOG_FORMAT": "json",
        "CREDENCE_REQUESTS_PER_MINUTE": "50000000",
    }
    service, database = (
        Service(folder / "service.log", settings),
        Database(url, pool_size=OWN_CONNECTIONS, timeout_seconds=30),
    )
    started: list[subprocess.Popen[bytes]] = []
    async with service.running() as main:
        try:
            for number in range(worker_count):
                log = folder / f"worker-{number}.log"
                started.append(start_process(["worker"], service.environment, log))
            yield Processes(service, folder, database, main, [psutil.Process(worker.pid) for worker in started])
        finally:
            await database.aclose()
            for worker in started:
                worker.terminate()
            for worker in started:
                await asyncio.to_thread(worker.wait, 60)


def _connections(process: psutil.Process, port: int) -> int:
    """The connections of clients to a process that listens on a port, those included that a client has closed."""
    connections = process.net_connections("tcp")
    return sum(each.status != psutil.CONN_LISTEN and each.laddr.port == port for each in connections)
