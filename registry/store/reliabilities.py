"""How far each source can be trusted now: the override if there is one, else the current run's estimate."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, and_, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.database.paging import Page, paginate
from registry.models import Corpus, EstimationRun, Override, RunSource, RunStatus, Source, SourceStatus
from registry.store import estimations, sources


@dataclass(frozen=True, slots=True)
class SourceReliability:
    """One source's reliability and where it comes from; None where no run knows the source yet."""

    source_id: UUID
    external_id: str
    name: str
    status: str
    reliability: float | None
    estimated: float | None
    lower: float | None
    """Of the 90 % interval of the estimate; None too where the run kept none."""
    upper: float | None
    weight: float | None
    vote_count: int
    voice: int | None
    """Which of the run's voices of several sources it belongs to; None for a voice of its own."""
    override: Override | None


@dataclass(frozen=True, slots=True)
class Reliabilities:
    """The sources of a corpus in the order of their creation, and the run that estimated them."""

    run: EstimationRun | None
    sources: tuple[SourceReliability, ...]

    @property
    def estimation_id(self) -> UUID | None:
        """Identifier of the run, if there is one."""
        return self.run.id if self.run else None


async def current_reliabilities(
    session: AsyncSession, corpus: Corpus, *, statuses: Sequence[SourceStatus] = (SourceStatus.ACTIVE,)
) -> Reliabilities:
    """All sources of the given statuses."""
    run = await estimations.current(session, corpus)
    rows = _joined(run).where(Source.corpus_id == corpus.id, Source.status.in_(statuses)).order_by(Source.id)
    items = tuple(_standing(row) for row in (await session.execute(rows)))
    return Reliabilities(run, items)


async def of_source(session: AsyncSession, corpus: Corpus, source_id: UUID) -> Reliabilities:
    """One source; raises `NotFound`."""
    return await of_sources(session, corpus, [(await sources.get(session, corpus, source_id)).id])


async def of_sources(session: AsyncSession, corpus: Corpus, source_ids: Sequence[UUID]) -> Reliabilities:
    """These sources of the corpus, in the order of their creation."""
    run = await estimations.current(session, corpus)
    rows = _joined(run).where(Source.corpus_id == corpus.id, Source.id.in_(source_ids)).order_by(Source.id)
    return Reliabilities(run, tuple(_standing(row) for row in await session.execute(rows)))


async def history(
    session: AsyncSession, corpus: Corpus, source_id: UUID, *, cursor: str | None, limit: int
) -> Page[RunSource]:
    """What each run that succeeded found about a source, oldest first."""
    await sources.get(session, corpus, source_id)
    rows = (
        select(RunSource)
        .join(EstimationRun, EstimationRun.id == RunSource.estimation_id)
        .where(RunSource.source_id == source_id, EstimationRun.status == RunStatus.SUCCEEDED)
    )
    return await paginate(session, rows, RunSource.estimation_id, cursor=cursor, limit=limit)


def _joined(run: EstimationRun | None) -> Select[*tuple[Any, ...]]:
    """Columns, not objects: a question needs them of every source of its corpus."""
    of_run = and_(RunSource.source_id == Source.id, RunSource.estimation_id == (run.id if run else None))
    return (
        select(
            Source.id,
            Source.external_id,
            Source.name,
            Source.status,
            RunSource.reliability,
            RunSource.lower,
            RunSource.upper,
            RunSource.weight,
            RunSource.vote_count,
            RunSource.voice,
            Override,
        )
        .outerjoin(RunSource, of_run)
        .outerjoin(Override, Override.source_id == Source.id)
    )


def _standing(row: Row[*tuple[Any, ...]]) -> SourceReliability:
    source_id, external_id, name, status, reliability, lower, upper, weight, vote_count, voice, override = row
    # A source without votes has an estimate too, that of any other: it is no knowledge of this source.
    known = bool(vote_count)
    estimated = reliability if known else None
    return SourceReliability(
        source_id=source_id,
        external_id=external_id,
        name=name,
        status=status,
        reliability=override.reliability if override else estimated,
        estimated=estimated,
        lower=lower if known else None,
        upper=upper if known else None,
        weight=weight,
        vote_count=vote_count or 0,
        voice=voice,
        override=override,
    )
