"""Estimation runs in the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import String, and_, case, cast, exists, func, inspect, literal, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from registry.corpora.model import Corpus
from registry.estimations.model import ACTIVE_STATUSES, EstimationRun, RunQuery, RunSource, Vote
from registry.estimations.schemas import EstimationParameters
from registry.events import audit
from registry.events import store as events
from registry.platform.database.paging import Page, paginate
from registry.platform.database.rows import get_row, lock_for_update, page_of_rows
from registry.platform.enums import AuditAction, QueryOrigin, RunStatus, Trigger
from registry.platform.errors import Conflict, NotFound
from registry.queries.model import Query
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_queries, visible_run_answer, visible_run_queries, visible_votes

UNFINISHED = select(EstimationRun.id).where(EstimationRun.status.in_(ACTIVE_STATUSES))
FAILED = select(
    EstimationRun.id,
    EstimationRun.corpus_id,
    literal("all reliabilities"),
    EstimationRun.problem,
    EstimationRun.finished_at,
).where(EstimationRun.status == RunStatus.FAILED)


@dataclass(frozen=True, slots=True)
class ReadingTotals:
    """Readings of all estimations, by where they came from."""

    made: int = 0
    cached: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class SourceVote:
    """The reading of a source for a query of a run."""

    query_id: UUID
    query_text: str
    run_answer: str | None
    """The answer that the votes of the run gave the query."""
    answer: str | None
    answer_key: str | None
    """Key of its answer class; None if it did not vote."""
    status: str
    document_ids: list[str]
    lead: float | None
    """Lead of `run_answer`."""
    agrees: bool | None
    """Whether it voted for the answer class of `run_answer`; None where it did not vote or there is no answer."""
    contradicted: bool
    """Whether it voted, and another source for another answer class."""
    published_at: datetime | None
    """When the source first published its answer."""


async def create(
    session: AsyncSession,
    corpus: Corpus,
    parameters: EstimationParameters,
    trigger: Trigger,
    schedule_id: UUID | None = None,
) -> EstimationRun:
    """A queued run; raises `Conflict` with the location of the other run while one is queued or running.

    Its parameters say whether it uses gold answers, also where it was left to the corpus.
    """
    use_gold = corpus.use_gold if parameters.use_gold is None else parameters.use_gold
    highest = select(func.coalesce(func.max(EstimationRun.number), 0)).where(EstimationRun.corpus_id == corpus.id)
    fields = {
        "corpus_id": corpus.id,
        # Of two that take the same number at a time, one is refused, as it is while the other run is active.
        "number": highest.scalar_subquery() + 1,
        "parameters": parameters.model_dump(mode="json") | {"use_gold": use_gold},
        "trigger": trigger,
        "schedule_id": schedule_id,
    }
    statement = insert(EstimationRun).values(fields).on_conflict_do_nothing().returning(EstimationRun)
    run: EstimationRun | None = await session.scalar(statement)
    if run is None:
        other = await active(session, corpus)
        raise Conflict(
            "An estimation of this corpus is already queued or running. Wait for it, or cancel it.",
            location=f"/v1/corpora/{corpus.name}/estimations/{other.id}" if other else None,
        )
    events.publish(session, run.id, RunStatus.QUEUED, {})
    return run


async def get(session: AsyncSession, corpus: Corpus, estimation_id: UUID) -> EstimationRun:
    """A run of the corpus; raises `NotFound`."""
    return await get_row(session, EstimationRun, corpus.id, estimation_id)


async def rename(session: AsyncSession, corpus: Corpus, estimation_id: UUID, name: str | None) -> EstimationRun:
    """Give a run a name, or take it away; raises `NotFound`."""
    run = await get(session, corpus, estimation_id)
    await lock_for_update(session, run, "estimation", estimation_id, also=("name",))
    before, after = {"name": run.name}, {"name": name}
    audit.record(session, AuditAction.ESTIMATION_RENAMED, run.id, corpus.id, before=before, after=after)
    run.name = name
    return run


async def page(
    session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int, newest_first: bool = False
) -> Page[EstimationRun]:
    """The runs of the corpus, oldest first unless `newest_first`."""
    return await page_of_rows(session, EstimationRun, corpus.id, cursor=cursor, limit=limit, newest_first=newest_first)


async def newest_of(session: AsyncSession, corpus: Corpus, origin: QueryOrigin) -> EstimationRun | None:
    """The newest succeeded run on the queries of this origin alone."""
    on_them = EstimationRun.parameters["origin"].astext == origin, EstimationRun.status == RunStatus.SUCCEEDED
    rows = select(EstimationRun).where(EstimationRun.corpus_id == corpus.id, *on_them)
    return (await session.scalars(rows.order_by(EstimationRun.id.desc()).limit(1))).first()


async def newest(session: AsyncSession, corpus: Corpus) -> EstimationRun | None:
    """The run that was requested last, whatever became of it."""
    rows = select(EstimationRun).where(EstimationRun.corpus_id == corpus.id)
    return (await session.scalars(rows.order_by(EstimationRun.id.desc()).limit(1))).first()


async def active(session: AsyncSession, corpus: Corpus) -> EstimationRun | None:
    """The queued or running run, if there is one."""
    return (
        await session.scalars(
            select(EstimationRun).where(EstimationRun.corpus_id == corpus.id, EstimationRun.status.in_(ACTIVE_STATUSES))
        )
    ).first()


async def request_cancel(session: AsyncSession, corpus: Corpus, estimation_id: UUID) -> EstimationRun:
    """Ask a run to stop, which it does within seconds; raises `Conflict` if it has ended."""
    run = await get(session, corpus, estimation_id)
    await lock_for_update(session, run, "estimation", estimation_id, also=("status",))
    if RunStatus(run.status).ended:
        raise Conflict(f"This estimation has already ended: it {run.status}.")
    run.cancel_requested = True
    return run


async def sources_of(session: AsyncSession, run: EstimationRun) -> Sequence[RunSource]:
    """The estimates of the run, the most reliable source first."""
    rows = select(RunSource).where(RunSource.estimation_id == run.id)
    return (await session.scalars(rows.order_by(RunSource.reliability.desc(), RunSource.source_name))).all()


async def queries_of(
    session: AsyncSession, run: EstimationRun, *, cursor: str | None, limit: int, viewer: Viewer = ALL_SEEING
) -> Page[RunQuery]:
    """The queries of the run with their estimated answers, in the order of their ids."""
    rows = select(RunQuery).where(RunQuery.estimation_id == run.id, *visible_run_queries(viewer))
    page = await paginate(session, rows, RunQuery.query_id, cursor=cursor, limit=limit)
    return Page(await with_visible_answers(session, run, page.items, viewer), page.next_cursor)


async def suggestions(session: AsyncSession, run: EstimationRun, limit: int, viewer: Viewer = ALL_SEEING) -> list[str]:
    """Generated queries that wait to be activated, first those from documents of sources of which least is known."""
    unknown = func.coalesce(RunSource.upper - RunSource.lower, 1.0)
    of_source = and_(
        RunSource.estimation_id == run.id,
        RunSource.vote_count > 0,
        Query.provenance["source_id"].astext == cast(RunSource.source_id, String),
    )
    rows = (
        select(Query.text)
        .outerjoin(RunSource, of_source)
        .where(Query.corpus_id == run.corpus_id, Query.origin == QueryOrigin.GENERATED, ~Query.active)
        .where(*visible_queries(viewer))
    )
    return list(await session.scalars(rows.order_by(unknown.desc(), Query.id).limit(limit)))


async def queries_fitted_on(session: AsyncSession, run: EstimationRun) -> frozenset[UUID]:
    """The queries whose gold answers the run was fitted on."""
    rows = select(RunQuery.query_id).where(RunQuery.estimation_id == run.id, RunQuery.gold_used)
    return frozenset(await session.scalars(rows))


async def fitted_gold_count(session: AsyncSession, run: EstimationRun) -> int:
    """The number of queries that the run was fitted on and that still have gold answers."""
    of_query = and_(Query.id == RunQuery.query_id, Query.gold_answers.is_not(None))
    rows = select(func.count()).select_from(RunQuery).join(Query, of_query)
    return await session.scalar(rows.where(RunQuery.estimation_id == run.id, RunQuery.gold_used)) or 0


async def votes_of(
    session: AsyncSession, run: EstimationRun, query_id: UUID, viewer: Viewer = ALL_SEEING
) -> Sequence[Vote]:
    """The votes on one query of the run that the viewer sees; raises `NotFound` if the run did not read it."""
    await query_of(session, run, query_id, viewer)
    rows = select(Vote).where(Vote.estimation_id == run.id, Vote.query_id == query_id, *visible_votes(viewer))
    return (await session.scalars(rows.order_by(Vote.source_id))).all()


async def query_of(session: AsyncSession, run: EstimationRun, query_id: UUID, viewer: Viewer = ALL_SEEING) -> RunQuery:
    """A query of the run; raises `NotFound`."""
    rows = select(RunQuery).where(RunQuery.estimation_id == run.id, RunQuery.query_id == query_id)
    query: RunQuery | None = await session.scalar(rows.where(*visible_run_queries(viewer)))
    if query is None:
        raise NotFound("query of this estimation", query_id)
    return (await with_visible_answers(session, run, [query], viewer))[0]


async def with_visible_answers(
    session: AsyncSession, run: EstimationRun, queries: Sequence[RunQuery], viewer: Viewer
) -> Sequence[RunQuery]:
    """The queries of the run, without answers that no vote gives which the viewer sees; these are not to be stored."""
    if viewer.sees_all:
        return queries
    answers = select(RunQuery.query_id, visible_run_answer(viewer)).where(
        RunQuery.estimation_id == run.id, RunQuery.query_id.in_([query.query_id for query in queries])
    )
    answer_of = dict((await session.execute(answers)).all())
    names = [column.key for column in inspect(RunQuery).column_attrs]
    return [
        RunQuery(**{name: getattr(query, name) for name in names} | {"answer": answer_of[query.query_id]})
        for query in queries
    ]


async def votes_of_source(
    session: AsyncSession, run: EstimationRun, source_id: UUID, viewer: Viewer = ALL_SEEING
) -> list[SourceVote]:
    """The readings of a source for all queries of the run that the viewer sees, in the order of these."""
    same_class = aliased(Vote)
    # No EXISTS: Postgres would hash all votes of all runs for it.
    agrees = (
        select(func.bool_or(same_class.answer == RunQuery.answer))
        .where(
            same_class.estimation_id == Vote.estimation_id,
            same_class.query_id == Vote.query_id,
            same_class.answer_key == Vote.answer_key,
        )
        .correlate(Vote, RunQuery)
        .scalar_subquery()
    )
    other = aliased(Vote)
    contradicted = exists().where(
        other.estimation_id == Vote.estimation_id,
        other.query_id == Vote.query_id,
        other.answer_key != Vote.answer_key,
    )
    voted = and_(Vote.answer_key.is_not(None), RunQuery.answer.is_not(None))
    rows = (
        select(
            RunQuery.query_id,
            RunQuery.query_text,
            visible_run_answer(viewer),
            Vote.answer,
            Vote.answer_key,
            Vote.status,
            Vote.document_ids,
            RunQuery.lead,
            case((voted, agrees)),
            contradicted,
            Vote.published_at,
        )
        .join(Vote, and_(Vote.estimation_id == RunQuery.estimation_id, Vote.query_id == RunQuery.query_id))
        .where(RunQuery.estimation_id == run.id, Vote.source_id == source_id)
        .where(*visible_run_queries(viewer), *visible_votes(viewer))
        .order_by(RunQuery.query_id)
    )
    return [SourceVote(*row) for row in await session.execute(rows)]


async def reading_totals(session: AsyncSession) -> ReadingTotals:
    """Readings summed over the estimations of all corpora."""
    counts = (EstimationRun.readings_made, EstimationRun.readings_cached, EstimationRun.readings_failed)
    sums = select(*(func.coalesce(func.sum(count), 0) for count in counts))
    return ReadingTotals(*(int(total) for total in (await session.execute(sums)).one()))


async def status_counts(session: AsyncSession) -> dict[str, int]:
    """The number of estimations of each status in all corpora."""
    counted = select(EstimationRun.status, func.count()).group_by(EstimationRun.status)
    counts = dict.fromkeys(map(str, RunStatus), 0)
    for status, count in await session.execute(counted):
        counts[status] = count
    return counts
