"""Estimation runs in the database."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import exists, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from estimator import Method
from registry.database.paging import Page, paginate
from registry.errors import Conflict, NotFound
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, EstimationRun, RunQuery, RunSource, RunStatus, Trigger, Vote
from registry.models.estimations import ACTIVE_STATUSES
from registry.store import events


async def create(
    session: AsyncSession,
    corpus: Corpus,
    parameters: EstimationParameters,
    trigger: Trigger,
    schedule_id: UUID | None = None,
) -> EstimationRun:
    """A queued run. Raises `Conflict`, naming the run in the way, while another one waits or works."""
    values = {
        "corpus_id": corpus.id,
        "parameters": parameters.model_dump(mode="json"),
        "trigger": trigger,
        "schedule_id": schedule_id,
    }
    added = insert(EstimationRun).values(values).on_conflict_do_nothing().returning(EstimationRun)
    run: EstimationRun | None = await session.scalar(added)
    if run is None:
        other = await active(session, corpus)
        raise Conflict(
            "An estimation of this corpus is already queued or running. Wait for it, or cancel it.",
            location=f"/v1/corpora/{corpus.name}/estimations/{other.id}" if other else None,
        )
    events.publish(session, run.id, RunStatus.QUEUED, {})
    return run


async def get(session: AsyncSession, corpus: Corpus, estimation_id: UUID) -> EstimationRun:
    """One run of the corpus; raises `NotFound`."""
    run = await session.get(EstimationRun, estimation_id)
    if run is None or run.corpus_id != corpus.id:
        raise NotFound("estimation", estimation_id)
    return run


async def page(session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int) -> Page[EstimationRun]:
    """The runs of the corpus, oldest first."""
    rows = select(EstimationRun).where(EstimationRun.corpus_id == corpus.id)
    return await paginate(session, rows, EstimationRun.id, cursor=cursor, limit=limit)


async def current(session: AsyncSession, corpus: Corpus) -> EstimationRun | None:
    """The newest succeeded run, whose reliabilities count; no audit, which has seen the gold answers."""
    newest = (
        select(EstimationRun)
        .where(
            EstimationRun.corpus_id == corpus.id,
            EstimationRun.status == RunStatus.SUCCEEDED,
            EstimationRun.method.is_distinct_from(Method.ORACLE),
        )
        .order_by(EstimationRun.id.desc())
        .limit(1)
    )
    return (await session.scalars(newest)).first()


async def active(session: AsyncSession, corpus: Corpus) -> EstimationRun | None:
    """The run that waits or works, if there is one."""
    return (
        await session.scalars(
            select(EstimationRun).where(EstimationRun.corpus_id == corpus.id, EstimationRun.status.in_(ACTIVE_STATUSES))
        )
    ).first()


async def request_cancel(session: AsyncSession, corpus: Corpus, estimation_id: UUID) -> EstimationRun:
    """Ask a run to stop: at once if it only waits, else at its next query. Raises `Conflict` if it has ended."""
    run = await get(session, corpus, estimation_id)
    await session.refresh(run, with_for_update=True)
    if RunStatus(run.status).ended:
        raise Conflict(f"This estimation has already ended: it {run.status}.")
    run.cancel_requested = True
    return run


async def sources_of(session: AsyncSession, run: EstimationRun) -> Sequence[RunSource]:
    """What the run found about each source, the most reliable first."""
    rows = select(RunSource).where(RunSource.estimation_id == run.id)
    return (await session.scalars(rows.order_by(RunSource.reliability.desc(), RunSource.source_name))).all()


async def queries_of(session: AsyncSession, run: EstimationRun, *, cursor: str | None, limit: int) -> Page[RunQuery]:
    """The queries of the run with their estimated answers."""
    rows = select(RunQuery).where(RunQuery.estimation_id == run.id)
    return await paginate(session, rows, RunQuery.query_id, cursor=cursor, limit=limit)


async def votes_of(session: AsyncSession, run: EstimationRun, query_id: UUID) -> Sequence[Vote]:
    """What every source said to one query of the run, and why a source did not vote. Raises `NotFound`."""
    asked = exists().where(RunQuery.estimation_id == run.id, RunQuery.query_id == query_id)
    if not await session.scalar(select(asked)):
        raise NotFound("query of this estimation", query_id)
    rows = select(Vote).where(Vote.estimation_id == run.id, Vote.query_id == query_id).order_by(Vote.source_id)
    return (await session.scalars(rows)).all()
