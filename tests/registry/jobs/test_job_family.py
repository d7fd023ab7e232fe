"""A kind of job that is added to the list is queued, run, and recovered, without an edit anywhere else."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from procrastinate import RetryStrategy
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job as ProcrastinateJob
from procrastinate.jobs import Status
from procrastinate.manager import JobManager
from pydantic import BaseModel
from sqlalchemy import Uuid, column, insert, select, table, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from structlog.testing import capture_logs
from uuid_utils.compat import uuid7

from registry.corpora.model import Corpus
from registry.job_kind import JobKind, Scheduling
from registry.jobs import kinds, worker
from registry.jobs.scheduler import tick
from registry.jobs.worker import recover
from registry.platform.database.job_queue import Job, defer, without_job
from registry.platform.errors import DatabaseUnavailable
from registry.runtime import Runtime
from registry.schedules.model import Schedule
from tests.eventually import eventually
from tests.registry.working import working

DIGESTS = table("digests", column("id", Uuid), column("title"), column("done"))
DUE = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)


class DigestParameters(BaseModel):
    title: str


async def create_digest(session: AsyncSession, _corpus: Corpus, parameters: DigestParameters, _schedule: UUID) -> UUID:
    digest_id = uuid7()
    await session.execute(insert(DIGESTS).values(id=digest_id, title=parameters.title, done=False))
    return digest_id


async def write_digest(runtime: Runtime, digest_id: UUID) -> None:
    async with runtime.database.begin() as session:
        await session.execute(update(DIGESTS).where(DIGESTS.c.id == digest_id).values(done=True))


DIGEST = JobKind(
    job=Job("digest", priority=5),
    summary="Writes a digest of a corpus.",
    run=write_digest,
    unfinished=select(DIGESTS.c.id).where(DIGESTS.c.done.is_(False)),
    scheduling=Scheduling(DigestParameters, create_digest),
)


@pytest.fixture
async def digests(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Runtime]:
    """A service with one more kind of job, and the table of its subjects."""
    monkeypatch.setattr(kinds, "KINDS", [*kinds.KINDS, DIGEST])
    async with runtime.database.begin() as session:
        await session.execute(text("CREATE TABLE digests (id uuid PRIMARY KEY, title varchar, done boolean)"))
    yield runtime
    async with runtime.database.begin() as session:
        await session.execute(text("DROP TABLE digests"))


async def done(runtime: Runtime, digest_id: UUID) -> bool:
    async with runtime.database.begin() as session:
        return bool(await session.scalar(select(DIGESTS.c.done).where(DIGESTS.c.id == digest_id)))


async def test_a_new_kind_is_queued_by_a_schedule_and_run_by_a_worker(digests: Runtime, corpus: Corpus) -> None:
    parameters = {"kind": "digest", "title": "Weekly"}
    async with digests.database.begin() as session:
        schedule = Schedule(corpus_id=corpus.id, name="weekly", cron="0 3 * * 1", parameters=parameters)
        session.add(schedule)
    digest_id = await tick(digests, schedule.id, DUE)
    assert digest_id is not None
    assert not await done(digests, digest_id)
    async with working(digests):
        await eventually(lambda: done(digests, digest_id))


async def test_a_new_kind_is_queued_by_a_request(digests: Runtime, corpus: Corpus) -> None:
    async with digests.database.begin() as session:
        digest_id = await create_digest(session, corpus, DigestParameters(title="Now"), uuid7())
        await defer(session, digests.jobs, DIGEST.job, digest_id)
    assert await recover(digests) == 0
    async with working(digests):
        await eventually(lambda: done(digests, digest_id))


async def test_an_orphan_of_a_new_kind_is_recovered(digests: Runtime, corpus: Corpus) -> None:
    async with digests.database.begin() as session:
        digest_id = await create_digest(session, corpus, DigestParameters(title="Lost"), uuid7())
    assert await recover(digests) == 1
    assert await recover(digests) == 0
    async with working(digests):
        await eventually(lambda: done(digests, digest_id))


async def test_a_job_whose_end_could_not_be_stored_is_run_again(
    digests: Runtime, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would stay with a worker that lives, and nobody would take it."""
    finish, failed = JobManager.finish_job, asyncio.Event()

    async def fail_once(manager: JobManager, job: ProcrastinateJob, status: Status, delete_job: bool) -> None:
        if not failed.is_set():
            failed.set()
            raise ConnectorException("the connection was lost at the commit")
        await finish(manager, job, status, delete_job)

    async def stored() -> bool:
        async with digests.database.begin() as session:
            return bool(await without_job(session, DIGEST.job, select(DIGESTS.c.id)))

    monkeypatch.setattr(JobManager, "finish_job", fail_once)
    monkeypatch.setattr(worker, "RECONNECT_SECONDS", 0.01)
    async with digests.database.begin() as session:
        digest_id = await create_digest(session, corpus, DigestParameters(title="Now"), uuid7())
        await defer(session, digests.jobs, DIGEST.job, digest_id)
    async with working(digests):
        await eventually(stored)
    assert failed.is_set()


async def test_a_job_that_cannot_be_done_at_present_is_tried_again_and_says_why(
    digests: Runtime, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = asyncio.Event()

    async def refuse_once(runtime: Runtime, digest_id: UUID) -> None:
        if not refused.is_set():
            refused.set()
            raise DatabaseUnavailable("no connection left")
        await write_digest(runtime, digest_id)

    refusing = replace(DIGEST, job=Job("refusing digest", priority=5), run=refuse_once)
    monkeypatch.setattr(kinds, "KINDS", [*kinds.KINDS[:-1], refusing])
    monkeypatch.setattr(worker, "RETRY", RetryStrategy(max_attempts=2, retry_exceptions={DatabaseUnavailable}))
    async with digests.database.begin() as session:
        digest_id = await create_digest(session, corpus, DigestParameters(title="Now"), uuid7())
        await defer(session, digests.jobs, refusing.job, digest_id)
    with capture_logs() as logs:
        async with working(digests):
            await eventually(lambda: done(digests, digest_id))
    entries = [entry for entry in logs if entry["event"] == "job_to_retry"]
    assert [(entry["job"], entry["attempts"], str(entry["error"])) for entry in entries] == [
        ("refusing digest", 1, "no connection left")
    ]


def test_kinds_have_names_of_their_own_and_say_what_they_do() -> None:
    assert len({kind.job.name for kind in kinds.KINDS}) == len(kinds.KINDS)
    assert all(kind.summary.endswith(".") for kind in kinds.KINDS)
