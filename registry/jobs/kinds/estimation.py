"""The job that estimates the reliabilities of a corpus."""

from uuid import UUID

from sqlalchemy import literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry import estimation
from registry.inputs.estimations import EstimationParameters
from registry.jobs.kind import JobKind, Scheduling
from registry.models import Corpus, EstimationRun, RunStatus, Trigger
from registry.models.estimations import ACTIVE_STATUSES
from registry.runtime import Runtime
from registry.store import estimations


async def _create(session: AsyncSession, corpus: Corpus, parameters: EstimationParameters, schedule_id: UUID) -> UUID:
    run = await estimations.create(session, corpus, parameters, Trigger.SCHEDULE, schedule_id)
    return run.id


async def _repeat(runtime: Runtime, corpus: Corpus, estimation_id: UUID) -> None:
    async with runtime.database.begin() as session:
        run = await estimations.get(session, corpus, estimation_id)
    await estimation.start(runtime, corpus, EstimationParameters.model_validate(run.parameters), Trigger.HTTP)


KIND = JobKind(
    job=estimation.JOB,
    summary="Collects the votes of a corpus and estimates the reliability of its sources.",
    run=estimation.run,
    unfinished=select(EstimationRun.id).where(EstimationRun.status.in_(ACTIVE_STATUSES)),
    scheduling=Scheduling(EstimationParameters, _create),
    failed=select(
        EstimationRun.id,
        EstimationRun.corpus_id,
        literal("all reliabilities"),
        EstimationRun.problem,
        EstimationRun.finished_at,
    ).where(EstimationRun.status == RunStatus.FAILED),
    repeat=_repeat,
)
