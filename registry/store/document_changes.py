"""Documents that were stored after the estimate."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from registry.models import Corpus, Document, EstimationRun, Source, SourceStatus, Trigger
from registry.models.estimations import ACTIVE_STATUSES

COUNTED = 10_000


@dataclass(frozen=True, slots=True)
class CorpusChanges:
    """When documents of active sources of a corpus were stored after its last run began, the first and the last."""

    corpus_id: UUID
    first: datetime
    last: datetime


async def count_newer(session: AsyncSession, corpus: Corpus, run: EstimationRun | None) -> int | None:
    """How many documents of active sources were stored after the run began, at most 10,000; None without a run."""
    if run is None:
        return None
    newer = (
        select(Document.id)
        .join(Source, Source.id == Document.source_id)
        .where(Source.corpus_id == corpus.id, Source.status == SourceStatus.ACTIVE, Document.updated_at > _began(run))
        .limit(COUNTED)
    )
    return await session.scalar(select(func.count()).select_from(newer.subquery()))


async def changed_corpora(session: AsyncSession) -> Sequence[CorpusChanges]:
    """Corpora whose documents changed after their newest run began, whatever became of it; none while it goes on."""
    run = EstimationRun
    began = func.coalesce(run.started_at, run.created_at).label("began")
    runs = select(run.corpus_id, run.status, began).ext(distinct_on(run.corpus_id))
    newest = runs.order_by(run.corpus_id, run.id.desc()).subquery()
    changed = (
        select(newest.c.corpus_id, func.min(Document.updated_at), func.max(Document.updated_at))
        .join(Source, Source.corpus_id == newest.c.corpus_id)
        .join(Document, Document.source_id == Source.id)
        .where(
            newest.c.status.not_in(ACTIVE_STATUSES),
            Source.status == SourceStatus.ACTIVE,
            Document.updated_at > newest.c.began,
        )
        .group_by(newest.c.corpus_id)
    )
    return [CorpusChanges(*row) for row in await session.execute(changed)]


async def readings_of_day(session: AsyncSession, corpus: Corpus) -> int:
    """Readings that runs started by changes of documents made in the last 24 hours."""
    since = func.now() - timedelta(days=1)
    made = select(func.coalesce(func.sum(EstimationRun.readings_made), 0)).where(
        EstimationRun.corpus_id == corpus.id,
        EstimationRun.trigger == Trigger.DOCUMENTS,
        EstimationRun.created_at > since,
    )
    return int(await session.scalar(made) or 0)


def _began(run: EstimationRun) -> datetime:
    return run.started_at or run.created_at
