"""The job that estimates the reliabilities of a corpus."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from registry import estimation
from registry.inputs.estimations import EstimationParameters
from registry.jobs.kind import JobKind, Scheduling
from registry.models import Corpus, EstimationRun, Trigger
from registry.models.estimations import ACTIVE_STATUSES
from registry.store import estimations


async def _create(session: AsyncSession, corpus: Corpus, parameters: EstimationParameters, schedule_id: UUID) -> UUID:
    run = await estimations.create(session, corpus, parameters, Trigger.SCHEDULE, schedule_id)
    return run.id


KIND = JobKind(
    job=estimation.JOB,
    summary="Collects the votes of a corpus and estimates the reliabilities of its sources.",
    run=estimation.run,
    unfinished=select(EstimationRun.id).where(EstimationRun.status.in_(ACTIVE_STATUSES)),
    scheduling=Scheduling(EstimationParameters, _create),
)
