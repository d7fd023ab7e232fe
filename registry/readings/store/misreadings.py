"""Readings of a run that look misread, and what people say of them."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import Select, and_, cast, exists, func, literal, or_, select, tuple_
from sqlalchemy.dialects.postgresql import REAL
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun, RunQuery, RunSource, Vote
from registry.events import audit
from registry.platform.database.paging import Page, decode_cursor, encode_cursor
from registry.platform.enums import AuditAction, Verdict
from registry.platform.errors import NotFound
from registry.readings.model import MisreadingVerdict
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_run_answer, visible_run_queries, visible_votes

SUSPECTED: Final = 0.5
"""Probability from which on a reading looks misread."""


@dataclass(frozen=True, slots=True)
class SuspectedReading:
    """A reading of a run that looks misread, or that a person judged."""

    vote: Vote
    question: str
    source_name: str | None
    run_answer: str | None
    verdict: MisreadingVerdict | None


async def suspected(
    session: AsyncSession,
    run: EstimationRun,
    *,
    open_only: bool = False,
    cursor: str | None = None,
    limit: int,
    viewer: Viewer = ALL_SEEING,
) -> Page[SuspectedReading]:
    """The readings of a run that look misread and those that a person judged, or with `open_only` those that nobody
    judged; the most suspect first.

    Raises `NotFound` for a cursor behind a reading that is not of the run.
    """
    certainty = func.coalesce(-Vote.misread, cast(0.0, REAL))
    key = (certainty, Vote.reading_id)
    rows = _suspected(run, open_only=open_only, viewer=viewer).order_by(*key)
    if cursor is not None:
        last = await _vote_of(session, run, decode_cursor(cursor))
        rows = rows.where(tuple_(*key) > tuple_(cast(-(last.misread or 0.0), REAL), literal(last.reading_id)))
    found = [SuspectedReading(*row) for row in await session.execute(rows.limit(limit + 1))]
    items = found[:limit]
    return Page(items, encode_cursor(items[-1].vote.reading_id or UUID(int=0)) if len(found) > limit else None)


async def suspected_count(session: AsyncSession, run: EstimationRun, viewer: Viewer = ALL_SEEING) -> int:
    """The number of readings of the run that look misread and that nobody judged."""
    counted = select(func.count()).select_from(_suspected(run, open_only=True, viewer=viewer).subquery())
    return await session.scalar(counted) or 0


async def judge(
    session: AsyncSession, corpus: Corpus, run: EstimationRun | None, reading_id: UUID, verdict: Verdict, by: str
) -> MisreadingVerdict:
    """Set the verdict on a reading of the run, or on one that has a verdict; raises `NotFound` for any other."""
    row = await session.get(MisreadingVerdict, (corpus.id, reading_id), with_for_update=True)
    before = None if row is None else {"verdict": row.verdict}
    if row is None:
        if run is None:
            raise NotFound("reading of the current estimation", reading_id)
        vote = await _vote_of(session, run, reading_id)
        query = await session.get_one(RunQuery, (run.id, vote.query_id))
        row = MisreadingVerdict(
            corpus_id=corpus.id,
            reading_id=reading_id,
            source_id=vote.source_id,
            question=query.query_text,
            answer=vote.answer or "",
        )
        session.add(row)
    row.verdict, row.created_by = verdict, by
    audit.record(
        session, AuditAction.MISREADING_JUDGED, reading_id, corpus.id, before=before, after={"verdict": str(verdict)}
    )
    await session.flush()
    await session.refresh(row)
    return row


async def withdraw(session: AsyncSession, corpus: Corpus, reading_id: UUID) -> None:
    """Delete the verdict on a reading; raises `NotFound` if there is none."""
    row = await session.get(MisreadingVerdict, (corpus.id, reading_id), with_for_update=True)
    if row is None:
        raise NotFound("verdict on reading", reading_id)
    await session.delete(row)
    before = {"verdict": row.verdict}
    audit.record(session, AuditAction.MISREADING_VERDICT_DELETED, reading_id, corpus.id, before=before)
    await session.flush()


def _suspected(
    run: EstimationRun, *, open_only: bool, viewer: Viewer
) -> Select[Vote, str, str | None, str | None, MisreadingVerdict | None]:
    of_query = and_(RunQuery.estimation_id == Vote.estimation_id, RunQuery.query_id == Vote.query_id)
    of_source = and_(RunSource.estimation_id == Vote.estimation_id, RunSource.source_id == Vote.source_id)
    judged = and_(MisreadingVerdict.reading_id == Vote.reading_id, MisreadingVerdict.corpus_id == run.corpus_id)
    rows = (
        select(Vote, RunQuery.query_text, RunSource.source_name, visible_run_answer(viewer), MisreadingVerdict)
        .join(RunQuery, of_query)
        .outerjoin(RunSource, of_source)
        .outerjoin(MisreadingVerdict, judged)
        .where(Vote.estimation_id == run.id, Vote.reading_id.is_not(None))
        .where(*visible_run_queries(viewer), *visible_votes(viewer))
    )
    # A query may be there twice: its readings are listed once.
    other = aliased(Vote)
    same = and_(other.estimation_id == Vote.estimation_id, other.reading_id == Vote.reading_id)
    rows = rows.where(~exists().where(same, other.query_id < Vote.query_id))
    looks_misread, is_judged = Vote.misread >= SUSPECTED, MisreadingVerdict.reading_id.is_not(None)
    return rows.where(looks_misread, ~is_judged) if open_only else rows.where(or_(looks_misread, is_judged))


async def _vote_of(session: AsyncSession, run: EstimationRun, reading_id: UUID) -> Vote:
    rows = select(Vote).where(Vote.estimation_id == run.id, Vote.reading_id == reading_id)
    vote = (await session.scalars(rows.order_by(Vote.query_id).limit(1))).first()
    if vote is None:
        raise NotFound("reading of the current estimation", reading_id)
    return vote
