"""A run that goes on, as each process that works on it reads it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters


@dataclass(frozen=True, slots=True)
class RunContext:
    """A run that goes on, and what it reads."""

    id: UUID
    corpus: Corpus
    parameters: EstimationParameters
    source_ids: Sequence[UUID]
    began: datetime
    """Documents stored later are left to the next run, so that no source counts for a part of the queries only."""
    carried_from: UUID | None = None
    """The run of which votes are carried over."""


async def run_context(session: AsyncSession, run: EstimationRun) -> RunContext:
    """From the row of the run; it has no sources until it is cut."""
    corpus = await session.get_one(Corpus, run.corpus_id)
    source_ids = await session.scalar(select(EstimationRun.source_ids).where(EstimationRun.id == run.id))
    parameters = EstimationParameters.model_validate(run.parameters)
    began = run.started_at or run.created_at
    return RunContext(run.id, corpus, parameters, source_ids or (), began, run.carried_from)
