"""The estimates of runs, to be compared with those of other runs."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.estimations.model import EstimationRun, RunQuery, RunSource
from registry.queries.model import Query
from registry.viewers.model import Viewer
from registry.viewers.store import visible_queries


async def estimates_of(
    session: AsyncSession, run: EstimationRun
) -> Sequence[Row[UUID, str, float, float | None, float | None, int]]:
    """The sources with votes in the run: id, name, reliability, ends of its interval, votes."""
    columns = (RunSource.reliability, RunSource.lower, RunSource.upper, RunSource.vote_count)
    rows = select(RunSource.source_id, RunSource.source_name, *columns)
    return (await session.execute(rows.where(RunSource.estimation_id == run.id, RunSource.vote_count > 0))).all()


async def changes_between(
    session: AsyncSession, run: EstimationRun, previous: EstimationRun, source_ids: Sequence[UUID] | None = None
) -> dict[UUID, float]:
    """The estimate of each source in a run minus that in the previous one, if both have votes of it; all by default."""
    now, before = [await _with_votes(session, which, source_ids) for which in (run, previous)]
    return {source_id: now[source_id] - before[source_id] for source_id in now.keys() & before.keys()}


async def _with_votes(
    session: AsyncSession, run: EstimationRun, source_ids: Sequence[UUID] | None
) -> dict[UUID, float]:
    # A join of two runs takes ten seconds for 10,000 sources until Postgres has analysed the rows of the newer run.
    rows = select(RunSource.source_id, RunSource.reliability)
    rows = rows.where(RunSource.estimation_id == run.id, RunSource.vote_count > 0)
    if source_ids is not None:
        rows = rows.where(RunSource.source_id.in_(source_ids))
    return dict((await session.execute(rows)).all())


async def turned_share(session: AsyncSession, run: EstimationRun | None, question: str, viewer: Viewer) -> float | None:
    """The share of the separate runs that answer a query otherwise; None where the viewer sees no query of the run that
    asks the question in these words, or no separate runs were made.
    """
    if run is None:
        return None
    rows = select(RunQuery.turned).join(Query, Query.id == RunQuery.query_id)
    rows = rows.where(RunQuery.estimation_id == run.id, Query.text == question, *visible_queries(viewer))
    return await session.scalar(rows.order_by(RunQuery.turned.desc().nulls_last()).limit(1))
