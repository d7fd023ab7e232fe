"""The smallest pool of connections is enough for a process that does everything."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import psycopg
import pytest
from sqlalchemy.engine import URL

from answering.embedders import Embedder
from answering.readers.reader import Reading
from migrations.control import check_schema
from registry.answers import jobs as queued_answers
from registry.answers import service as answers
from registry.answers.model import AnswerRecord
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.jobs.scheduler import run_scheduler
from registry.jobs.worker import CONCURRENCY, run_worker
from registry.platform.database.engine import libpq_url
from registry.platform.enums import Trigger
from registry.platform.settings import Settings
from registry.runtime import Runtime, open_runtime
from tests.eventually import eventually
from tests.registry.world import TOWERS, TRUTH, build, colour_reader, honest, liar, question

# Those that another session would wait for: of jobs and of the scheduler.
LOCKS = """
    SELECT count(*) FROM pg_locks
    WHERE locktype = 'advisory' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class WaitingReader:
    """Reads colours once `may_read` is set."""

    def __init__(self) -> None:
        self._reader = colour_reader()
        self.name, self.prompt_hash = self._reader.name, self._reader.prompt_hash
        self.may_read = asyncio.Event()

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        await self.may_read.wait()
        return await self._reader.read(question, passages, contexts)

    async def aclose(self) -> None:
        await self._reader.aclose()


@pytest.fixture
def reader() -> WaitingReader:
    return WaitingReader()


@pytest.fixture
async def small(database_url: URL, embedder: Embedder, reader: WaitingReader) -> AsyncIterator[Runtime]:
    (least,) = (limit.ge for limit in Settings.model_fields["database_pool_size"].metadata if hasattr(limit, "ge"))
    values = {
        "database_url": libpq_url(database_url),
        "database_pool_size": least,
        "database_timeout_seconds": 5,
        "job_heartbeat_seconds": 0.5,
        "conflict_judge": "none",
    }
    settings = Settings.model_validate(values)
    async with open_runtime(settings, check_schema=check_schema, reader=reader, embedder=embedder) as runtime:
        yield runtime


async def test_four_jobs_the_scheduler_and_a_question_run_at_once(
    small: Runtime, corpus: Corpus, reader: WaitingReader
) -> None:
    await build(small, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Brin")}, TOWERS)
    run = await estimation.start(small, corpus, EstimationParameters(), Trigger.COMMAND)
    *queued, last = TOWERS[: CONCURRENCY["default"]]
    records = [await queued_answers.start(small, corpus, question(tower), AnswerParameters()) for tower in queued]
    stop = asyncio.Event()
    working = [asyncio.create_task(work(small, stop=stop)) for work in (run_worker, run_scheduler)]

    async def are_locked() -> bool:
        async with await psycopg.AsyncConnection.connect(libpq_url(small.database.url)) as connection:
            (locks,) = await (await connection.execute(LOCKS)).fetchone() or (0,)
            return bool(locks == CONCURRENCY["default"] + 1)

    async def ended() -> bool:
        async with small.database.begin() as session:
            finished = [(await session.get_one(EstimationRun, run.id)).finished_at]
            finished += [(await session.get_one(AnswerRecord, record.id)).finished_at for record in records]
            return all(finished)

    try:
        await eventually(are_locked)
        asking = asyncio.create_task(answers.ask(small, corpus, question(last), AnswerParameters()))
        reader.may_read.set()
        await eventually(ended)
        assert ((await asking).result or {})["answers"] == [TRUTH[last]]
        async with small.database.begin() as session:
            assert (await session.get_one(EstimationRun, run.id)).status == "succeeded"
            for tower, record in zip(queued, records, strict=True):
                assert ((await session.get_one(AnswerRecord, record.id)).result or {})["answers"] == [TRUTH[tower]]
    finally:
        # What goes on after a failure would hold up the next test.
        reader.may_read.set()
        stop.set()
        await asyncio.gather(*working)
