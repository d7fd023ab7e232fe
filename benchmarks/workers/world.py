"""Sources and queries in a database, worker processes on it, and runs of which the time is taken."""

import contextlib
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from sqlalchemy import func, select, text, update

from benchmarks.drill.service import TOWERS, question
from benchmarks.harness import CannotMeasureError
from benchmarks.harness.service import start_process
from benchmarks.workers.model import ModelServer
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations import service as estimation
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.events.model import Event
from registry.platform.database.engine import libpq_url
from registry.platform.enums import RunStatus, Trigger
from registry.queries import store as queries
from registry.queries.model import Query
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourceInput
from tests.eventually import eventually

HEARTBEAT_SECONDS = 1.0
READY_SECONDS = 120.0
RUN_SECONDS = 1200.0
# Each process listens to three queues.
LISTENING = text("SELECT count(*) / 3 FROM procrastinate.procrastinate_workers")


@dataclass(slots=True)
class World:
    """A corpus with its workers."""

    runtime: Runtime
    corpus: Corpus
    model: ModelServer
    log: Path
    at_once: int
    """Readings that a worker makes."""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    asked: int = 0
    """Queries that were made so far."""

    async def add_sources(self, count: int) -> None:
        """Sources that say of all towers how they are painted; the last third of them is wrong."""
        for number in range(count):
            colour = "red" if number < count * 2 / 3 else "black"
            statements = " ".join(f"The tower of {tower} is painted {colour}." for tower in TOWERS)
            async with self.runtime.database.begin() as session:
                source = await sources.create(session, self.corpus, SourceInput(name=f"Source {number}"))
            document = DocumentInput(external_id="1", content=f"By source {number}. {statements}")
            await ingest(self.runtime, self.corpus, source.id, [document])

    async def start_run(self, query_count: int) -> UUID:
        """A run on queries that were never read."""
        async with self.runtime.database.begin() as session:
            await session.execute(update(Query).values(active=False))
            for number in range(self.asked, self.asked + query_count):
                await queries.create(session, self.corpus, QueryInput(text=question(number)))
        self.asked += query_count
        self.model.asked.clear()
        run = await estimation.start(self.runtime, self.corpus, EstimationParameters(), Trigger.COMMAND)
        return run.id

    async def seconds_of(self, run_id: UUID) -> float:
        """Wait for the end of a run; the time from its begin to its last reading."""

        async def ended() -> bool:
            return (await self._status(run_id)).ended

        await eventually(ended, RUN_SECONDS)
        status = await self._status(run_id)
        if status is not RunStatus.SUCCEEDED:
            raise CannotMeasureError(f"the run {status}; the log of the workers is {self.log}")
        times = select(func.min(Event.created_at), func.max(Event.created_at)).where(
            Event.subject_id == run_id, Event.kind.in_(["running", "progress"])
        )
        async with self.runtime.database.begin() as session:
            first, last = (await session.execute(times)).one()
        return float((last - first).total_seconds())

    @contextlib.asynccontextmanager
    async def workers(self, count: int) -> AsyncIterator[None]:
        """So many worker processes, for the duration of the block."""

        async def listening() -> bool:
            async with self.runtime.database.begin() as session:
                return bool(await session.scalar(LISTENING) == count)

        with self._killed_at_the_end():
            for _ in range(count):
                self.start_worker()
            await eventually(listening, READY_SECONDS)
            yield
        async with self.runtime.database.begin() as session:
            await session.execute(text("DELETE FROM procrastinate.procrastinate_workers"))

    def start_worker(self) -> None:
        """One more worker process."""
        environment = os.environ | {
            "DATABASE_URL": libpq_url(self.runtime.database.url),
            "CREDENCE_READER": "openai",
            "CREDENCE_READER_URL": self.model.url,
            "CREDENCE_READER_MODEL": "fake",
            "CREDENCE_READER_CONCURRENCY": str(self.at_once),
            "CREDENCE_JOB_HEARTBEAT_SECONDS": str(HEARTBEAT_SECONDS),
        }
        self.processes.append(start_process(["worker"], environment, self.log))

    def kill_oldest(self) -> None:
        """`kill -9` of the worker that was started first."""
        process = self.processes.pop(0)
        process.kill()
        process.wait(READY_SECONDS)

    @contextlib.contextmanager
    def _killed_at_the_end(self) -> Iterator[None]:
        try:
            yield
        finally:
            while self.processes:
                self.kill_oldest()

    async def _status(self, run_id: UUID) -> RunStatus:
        async with self.runtime.database.begin() as session:
            return RunStatus((await session.get_one(EstimationRun, run_id)).status)


async def open_world(runtime: Runtime, model: ModelServer, folder: Path, source_count: int, at_once: int) -> World:
    """A corpus with sources, whose workers make so many readings at once."""
    async with runtime.database.begin() as session:
        corpus = await corpora.get(session, corpora.DEFAULT)
    world = World(runtime, corpus, model, folder / "workers.log", at_once)
    await world.add_sources(source_count)
    return world
