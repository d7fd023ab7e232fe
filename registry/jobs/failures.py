"""Work that ended with a problem, and jobs that broke off; both can be queued again."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job

from registry.corpora.model import Corpus
from registry.job_kind import JobKind
from registry.jobs import kinds, store
from registry.platform.database.base import AsyncSession, Connection
from registry.platform.errors import Conflict, NotFound
from registry.runtime import Runtime

UNSIGNED = "It was restored from a backup that no key of this service signed."


@dataclass(frozen=True, slots=True)
class Failure:
    """A subject of a job that ended with a problem."""

    kind: str
    """Name of the job."""
    subject_id: UUID
    corpus: str
    title: str
    detail: str
    """What went wrong, and what to do."""
    finished_at: datetime | None


async def recent_failures(session: AsyncSession, limit: int) -> list[Failure]:
    """The newest failures of each kind of job, at most `limit`, over all corpora."""
    failures = []
    for kind in kinds.KINDS:
        if kind.failed is None:
            continue
        for subject_id, _, title, problem, time, corpus in await store.failed_of_kind(session, kind.failed, limit):
            detail = str((problem or {}).get("detail", "It failed."))
            failures.append(Failure(kind.job.name, subject_id, corpus, title, detail, time))
    earliest = datetime.min.replace(tzinfo=UTC)
    return sorted(failures, key=lambda failure: failure.finished_at or earliest, reverse=True)


async def repeat(runtime: Runtime, corpus: Corpus, name: str, subject_id: UUID) -> None:
    """Queue the work of a failed subject again; raises `NotFound`, and what the start of such work raises."""
    kind = _kind(name)
    if kind.repeat is None:
        raise NotFound("kind of job that can be repeated", name)
    await kind.repeat(runtime, corpus, subject_id)


def pause(connection: Connection) -> None:
    """Leave nothing in a restored database that would be done by itself."""
    store.pause(connection, [kind.unfinished for kind in kinds.KINDS if kind.unfinished is not None], UNSIGNED)


def _kind(name: str) -> JobKind:
    for kind in kinds.KINDS:
        if kind.job.name == name:
            return kind
    raise NotFound("kind of job", name)


async def broken_jobs(runtime: Runtime, limit: int) -> Sequence[Job]:
    """The jobs that broke off with an error that nothing handles, the newest first."""
    return list(await runtime.jobs.job_manager.list_jobs_async(status="failed"))[: -limit - 1 : -1]


async def retry_job(runtime: Runtime, job_id: int) -> None:
    """Queue a job that broke off again; raises `Conflict` for any other, and while one waits for the same subject."""
    with suppress(ConnectorException):
        await runtime.jobs.job_manager.retry_job_by_id_async(job_id, datetime.now(UTC))
        return
    raise Conflict("This job did not fail, or another one waits for the same work.")
