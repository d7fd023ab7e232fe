"""The estimates of runs, their votes on queries with several answers, and evaluations of runs on gold answers."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Row, Select, and_, asc, cast, desc, func, or_, select, text
from sqlalchemy.dialects.postgresql import JSONB, JSONPATH
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import load_only

from registry.corpora.model import Corpus
from registry.estimations.model import MAY_BE_CURRENT, EstimationRun, RunQuery, RunSource, StoredEvaluation, Vote
from registry.estimations.schemas import Alert
from registry.estimations.store.votes import NUMBERED, RunVotes
from registry.evaluations.schemas import Evaluation
from registry.events import audit
from registry.platform.database.engine import driver_connection
from registry.platform.database.paging import Page, paginate
from registry.platform.database.rows import get_row
from registry.platform.enums import AuditAction, QueryOrigin, RunStatus
from registry.platform.errors import Conflict
from registry.queries.model import Query
from registry.sources import store as sources

ALERTS_SHOWN = 100
IN_BOTH = func.count() == 2


@dataclass(frozen=True, slots=True)
class RunAlerts:
    """The sources that turned or fell by a run."""

    run_id: UUID
    number: int
    time: datetime
    """When the run ended."""
    count: int
    sources: Sequence[Alert]
    """At most the first `ALERTS_SHOWN`."""


async def estimates_of(
    session: AsyncSession, run: EstimationRun, source_ids: Collection[UUID] | None = None
) -> Sequence[Row[UUID, str, float, float | None, float | None, int]]:
    """The sources with votes in the run, or those of these: id, name, reliability, ends of its interval, votes."""
    columns = (RunSource.reliability, RunSource.lower, RunSource.upper, RunSource.vote_count)
    rows = select(RunSource.source_id, RunSource.source_name, *columns)
    if source_ids is not None:
        rows = rows.where(RunSource.source_id.in_(source_ids))
    return (await session.execute(rows.where(RunSource.estimation_id == run.id, RunSource.vote_count > 0))).all()


async def changes_between(
    session: AsyncSession, run: EstimationRun, previous: EstimationRun, source_ids: Sequence[UUID] | None = None
) -> dict[UUID, float]:
    """The estimate of each source in a run minus that in the previous one, if both have votes of it; all by default."""
    rows = estimate_changes(run, previous).having(IN_BOTH)
    if source_ids is not None:
        rows = rows.where(RunSource.source_id.in_(source_ids))
    return dict((await session.execute(rows)).all())


async def greatest_changes(
    session: AsyncSession, run: EstimationRun, previous: EstimationRun, limit: int
) -> tuple[dict[UUID, float], dict[UUID, float]]:
    """The changes of the sources that rose most and of those that fell most, at most so many each, greatest first."""
    changes = estimate_changes(run, previous).having(IN_BOTH).limit(limit)
    rose = await session.execute(changes.order_by(desc("change"), RunSource.source_id))
    fell = await session.execute(changes.order_by(asc("change"), RunSource.source_id))
    return dict(rose.all()), dict(fell.all())


def estimate_changes(run: EstimationRun, previous: EstimationRun) -> Select[UUID, float]:
    """Each source with votes in either run, and the change of its estimate; null unless in both, see `IN_BOTH`."""
    # A join of two runs takes ten seconds for 10,000 sources until Postgres has analysed the rows of the newer run.
    now, before = [
        func.max(RunSource.reliability).filter(RunSource.estimation_id == which.id) for which in (run, previous)
    ]
    rows = select(RunSource.source_id, (now - before).label("change")).group_by(RunSource.source_id)
    of_both = RunSource.estimation_id.in_([run.id, previous.id]), RunSource.vote_count > 0
    return rows.where(*of_both)


async def changed_sources(
    session: AsyncSession,
    run: EstimationRun,
    previous: EstimationRun,
    *,
    least: float,
    regrouped: Collection[UUID],
    limit: int,
) -> tuple[Sequence[UUID], int, int]:
    """The sources that changed by `least` or more, have votes in one run only or are of these, the most changed first
    and at most `limit`; their number, and that of all sources with votes.
    """
    changes = estimate_changes(run, previous).subquery()
    size = func.abs(changes.c.change)
    has_changed = or_(size.is_(None), size >= least, changes.c.source_id.in_(regrouped))
    first = select(changes.c.source_id).where(has_changed).order_by(size.desc().nulls_first(), changes.c.source_id)
    counts = select(func.count().filter(has_changed), func.count()).select_from(changes)
    changed, total = (await session.execute(counts)).one()
    return (await session.scalars(first.limit(limit))).all(), changed, total


async def answers_to(
    session: AsyncSession, run: EstimationRun, query: Query
) -> list[tuple[UUID, str | None, str, str]]:
    """Source, its name, answer and class of each vote, the most reliable source first; none where several may be."""
    of_source = and_(RunSource.estimation_id == Vote.estimation_id, RunSource.source_id == Vote.source_id)
    of_query = and_(RunQuery.estimation_id == Vote.estimation_id, RunQuery.query_id == Vote.query_id)
    rows = (
        select(Vote.source_id, RunSource.source_name, Vote.answer, Vote.answer_key)
        .join(RunQuery, and_(of_query, ~RunQuery.several))
        .outerjoin(RunSource, of_source)
        .where(Vote.estimation_id == run.id, Vote.query_id == query.id, Vote.answer_key.is_not(None))
        .order_by(RunSource.reliability.desc().nulls_last(), Vote.source_id)
    )
    return [(source_id, name, answer or "", key or "") for source_id, name, answer, key in await session.execute(rows)]


async def history(
    session: AsyncSession, corpus: Corpus, source_id: UUID, *, cursor: str | None, limit: int
) -> Page[RunSource]:
    """The estimates of a source in every run that succeeded, oldest first."""
    await sources.get(session, corpus, source_id)
    rows = (
        select(RunSource)
        .join(EstimationRun, EstimationRun.id == RunSource.estimation_id)
        .where(RunSource.source_id == source_id, EstimationRun.status == RunStatus.SUCCEEDED)
    )
    return await paginate(session, rows, RunSource.estimation_id, cursor=cursor, limit=limit)


async def runs_behind(session: AsyncSession, found: Collection[RunSource]) -> dict[UUID, EstimationRun]:
    """The runs of these estimates by identifier, with their numbers and how they estimated."""
    how = load_only(EstimationRun.number, EstimationRun.method, EstimationRun.reader, EstimationRun.parameters)
    rows = select(EstimationRun).where(EstimationRun.id.in_([each.estimation_id for each in found])).options(how)
    return {run.id: run for run in await session.scalars(rows)}


async def recent_alerts(
    session: AsyncSession, corpus_id: UUID, runs: int, *, found_only: bool = False, source_id: UUID | None = None
) -> list[RunAlerts]:
    """The alerts of the newest runs that kept them, at most so many, the newest first; `found_only`: of those with any.

    With a source only its own.
    """
    meant = "$.sources[*] ? (@.source_id == $source)" if source_id else f"$.sources[0 to {ALERTS_SHOWN - 1}]"
    sources = func.jsonb_path_query_array(
        EstimationRun.alerts, cast(meant, JSONPATH), cast({"source": str(source_id)}, JSONB)
    )
    count = func.jsonb_array_length(sources) if source_id else EstimationRun.alerts["count"].as_integer()
    rows = select(EstimationRun.id, EstimationRun.number, EstimationRun.finished_at, count, sources)
    rows = rows.where(EstimationRun.corpus_id == corpus_id, EstimationRun.alerts.is_not(None))
    if found_only:
        rows = rows.where(count > 0)
    found = await session.execute(rows.order_by(EstimationRun.id.desc()).limit(runs))
    return [
        RunAlerts(run_id, number, time, total, [Alert.model_validate(each) for each in alerts])
        for run_id, number, time, total, alerts in found
        if time is not None
    ]


async def save_evaluation(session: AsyncSession, corpus: Corpus, evaluation: Evaluation) -> StoredEvaluation:
    row = StoredEvaluation(
        corpus_id=corpus.id, estimation_id=evaluation.estimation_id, report=evaluation.model_dump(mode="json")
    )
    session.add(row)
    await session.flush()
    return row


async def newest_evaluation(session: AsyncSession, corpus: Corpus) -> StoredEvaluation | None:
    """The evaluation of the corpus that was made last, if there is one."""
    rows = select(StoredEvaluation).where(StoredEvaluation.corpus_id == corpus.id)
    return (await session.scalars(rows.order_by(StoredEvaluation.id.desc()).limit(1))).first()


# Of a query that came with votes the text says nothing of its answers.
SELECT_LISTED = f"""
    {NUMBERED}
    SELECT numbered_queries.number, numbered_sources.number, votes.answer,
           CASE WHEN queries.origin <> '{QueryOrigin.VOTES}' THEN numbered_queries.query_text END
    FROM votes
    JOIN numbered_queries USING (query_id) JOIN numbered_sources USING (source_id)
    LEFT JOIN queries ON queries.id = votes.query_id
    WHERE votes.estimation_id = %(run)s AND numbered_queries.several AND votes.answer_key IS NOT NULL
    ORDER BY 1, 2
"""  # noqa: S608  (our own words)
STORE_KEYS = """
    UPDATE votes SET answer_key = given.key
    FROM unnest(%(queries)s::uuid[], %(sources)s::uuid[], %(keys)s::text[]) AS given (query_id, source_id, key)
    WHERE votes.estimation_id = %(run)s AND votes.query_id = given.query_id AND votes.source_id = given.source_id
"""


class ListedVote(NamedTuple):
    """A vote of a run on a query to which several answers may be true."""

    query: int
    """Place among the queries of the run."""
    source: int
    """Place among its sources."""
    answer: str
    """Its answers, one a line."""
    question: str | None
    """The text of the query; None where that is no question."""


async def load_listed(session: AsyncSession, run_votes: RunVotes) -> list[ListedVote]:
    """The votes on the queries that are marked, in the order of queries and sources."""
    if not run_votes.several:
        return []
    raw = await driver_connection(session)
    rows = await raw.execute(SELECT_LISTED, run_votes.sql_parameters)
    return [ListedVote(query, source, answer or "", asked) for query, source, answer, asked in await rows.fetchall()]


async def store_keys(
    session: AsyncSession, run_votes: RunVotes, votes: Sequence[ListedVote], keys: Sequence[str]
) -> None:
    columns = {
        "queries": [run_votes.query_ids[vote.query] for vote in votes],
        "sources": [run_votes.source_ids[vote.source] for vote in votes],
        "keys": list(keys),
    }
    raw = await driver_connection(session)
    await raw.execute(STORE_KEYS, {"run": run_votes.estimation_id, **columns})


async def make_current(session: AsyncSession, corpus: Corpus, estimation_id: UUID, instead_of: UUID) -> EstimationRun:
    """Let a run count again instead of the one that the caller takes for the current one, until a newer one succeeds.

    Raises `NotFound`, and `Conflict` for a run that can never count and where another run counts by now.
    """
    run = await get_row(session, EstimationRun, corpus.id, estimation_id)
    if not await session.scalar(select(MAY_BE_CURRENT).where(EstimationRun.id == run.id)):
        raise Conflict(
            f"Run {run.number} cannot be made current: only runs that succeeded, by a method that does not use the "
            "gold answers to audit, can."
        )
    # Locked, so that of two callers one sees what the other one did.
    candidates = select(EstimationRun).where(EstimationRun.corpus_id == corpus.id, MAY_BE_CURRENT)
    locked = candidates.order_by(EstimationRun.id.desc()).limit(1).with_for_update()
    newest = (await session.scalars(locked, execution_options={"populate_existing": True})).one()
    current = newest.replaced_by or newest.id
    if current != instead_of:
        counts = await session.get_one(EstimationRun, current)
        raise Conflict(
            f"Run {counts.number} is the current one by now. Compare with it before you make another one current.",
            location=f"/v1/corpora/{corpus.name}/estimations/{current}",
        )
    before, after = {"estimation_id": current}, {"estimation_id": run.id}
    audit.record(session, AuditAction.ESTIMATION_MADE_CURRENT, run.id, corpus.id, before=before, after=after)
    newest.replaced_by = None if run is newest else run.id
    return run


async def classes_of_answers(
    session: AsyncSession, estimation_id: UUID, query_ids: Collection[UUID]
) -> Mapping[UUID, Mapping[str, str]]:
    """The class that votes of the run give each answer, by query and answer."""
    voted: defaultdict[UUID, dict[str, str]] = defaultdict(dict)
    rows = select(Vote.query_id, Vote.answer, Vote.answer_key).where(
        Vote.estimation_id == estimation_id, Vote.query_id.in_(query_ids), Vote.answer_key.is_not(None)
    )
    for query_id, answer, key in await session.execute(rows):
        voted[query_id][answer or ""] = key or ""
    return voted


async def query_texts(session: AsyncSession, run: EstimationRun, query_ids: Collection[UUID]) -> dict[UUID, str]:
    """The texts of these queries of the run, by id."""
    rows = select(RunQuery.query_id, RunQuery.query_text).where(RunQuery.estimation_id == run.id)
    return dict((await session.execute(rows.where(RunQuery.query_id.in_(query_ids)))).all())


async def analyse_runs(session: AsyncSession) -> None:
    """Let Postgres know at once how many rows the tables of runs have."""
    await session.execute(text("ANALYZE estimation_sources, estimation_queries, votes"))
