"""The jobs that estimate the reliabilities of a corpus, and that read a piece for it."""

from uuid import UUID

from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.notifications import notify_of_success
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.collection import READ_JOB
from registry.job_kind import JobKind, Scheduling
from registry.platform.database.base import AsyncSession
from registry.platform.enums import Trigger
from registry.runtime import Runtime


async def _create(session: AsyncSession, corpus: Corpus, parameters: EstimationParameters, schedule_id: UUID) -> UUID:
    run = await estimations.create(session, corpus, parameters, Trigger.SCHEDULE, schedule_id)
    return run.id


async def _repeat(runtime: Runtime, corpus: Corpus, estimation_id: UUID) -> None:
    async with runtime.database.begin() as session:
        run = await estimations.get(session, corpus, estimation_id)
    await estimation.start(runtime, corpus, EstimationParameters.model_validate(run.parameters), Trigger.HTTP)


async def _run(runtime: Runtime, estimation_id: UUID) -> None:
    await estimation.run(runtime, estimation_id)
    await notify_of_success(runtime, estimation_id)


async def _give_up(runtime: Runtime, estimation_id: UUID, reason: str) -> None:
    await estimation.fail(runtime, estimation_id, reason)
    # It may have succeeded before its process ended.
    await notify_of_success(runtime, estimation_id)


KIND = JobKind(
    job=estimation.JOB,
    summary="Collects the votes of a corpus and estimates the reliability of its sources.",
    run=_run,
    unfinished=estimations.UNFINISHED,
    scheduling=Scheduling(EstimationParameters, _create),
    failed=estimations.FAILED,
    give_up=_give_up,
    waits_for_others=True,
    repeat=_repeat,
)


READING_KIND = JobKind(
    job=READ_JOB,
    summary="Reads a few queries of an estimation, with all their sources.",
    run=estimation.read,
    give_up=estimation.fail_piece,
)
