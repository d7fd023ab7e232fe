"""Votes that a run takes over from an earlier one.

It takes all votes on the queries of both, where none can have changed. A vote depends on the text of the query, on the
documents of the sources (`corpus_state`), and on what `collection.plan.conditions` sums up. Where any document
or source changed, every query is searched and read again; readings of the same passages are kept, so that this costs
the searches.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Uuid, exists, func, literal, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from answering.enums import ReadingStatus
from registry.estimations.model import EstimationRun, RunQuery, Vote
from registry.estimations.store.collection import add_queries
from registry.platform.database.rows import any_of
from registry.queries.model import JoinedAnswers
from registry.readings.model import MisreadingVerdict
from registry.votes.model import ImportedVote

# The columns of a vote but those of its run.
COPIED = [column.name for column in Vote.__table__.columns if column.name not in {"estimation_id", "misread"}]


@dataclass(frozen=True, slots=True)
class ReusedQueries:
    """Queries whose votes were reused, and how many readings and votes they have."""

    query_ids: Collection[UUID]
    readings: int
    votes: int


async def known_queries(session: AsyncSession, earlier: UUID, queries: Mapping[UUID, str]) -> set[UUID]:
    """The queries, given with their texts, that the earlier run read with this text and without failures."""
    vote = aliased(Vote)
    # Failures are tried again, and what people say of readings may have changed, and imported votes.
    open_to_change = exists().where(
        vote.estimation_id == RunQuery.estimation_id,
        vote.query_id == RunQuery.query_id,
        vote.status.in_([ReadingStatus.FAILED, ReadingStatus.MISREAD]),
    )
    of_run = select(EstimationRun.corpus_id).where(EstimationRun.id == earlier).scalar_subquery()
    judged = select(MisreadingVerdict.question).where(MisreadingVerdict.corpus_id == of_run)
    joined = select(JoinedAnswers.question).where(JoinedAnswers.corpus_id == of_run)
    rows = select(RunQuery.query_id, RunQuery.query_text).where(
        RunQuery.estimation_id == earlier,
        RunQuery.query_id == any_of(queries),
        RunQuery.query_text.not_in(judged),
        RunQuery.query_text.not_in(joined),
        ~exists().where(ImportedVote.query_id == RunQuery.query_id),
        ~open_to_change,
    )
    return {query_id for query_id, query in await session.execute(rows) if queries[query_id] == query}


async def reuse_queries(
    session: AsyncSession, run_id: UUID, earlier: UUID, queries: Mapping[UUID, str]
) -> ReusedQueries:
    """Take over all votes on those of the queries that are known; those that the run has already are left out."""
    known = await known_queries(session, earlier, queries)
    if not known:
        return ReusedQueries((), 0, 0)
    counted = (
        select(Vote.query_id, func.count(), func.count(Vote.answer_key))
        .where(Vote.estimation_id == earlier, Vote.query_id == any_of(known))
        .group_by(Vote.query_id)
    )
    counts = {query_id: (readings, votes) for query_id, readings, votes in await session.execute(counted)}
    collected = {query_id: (queries[query_id], counts.get(query_id, (0, 0))[1]) for query_id in known}
    query_ids = await add_queries(session, run_id, collected)
    copied = select(literal(run_id, Uuid), *(Vote.__table__.columns[name] for name in COPIED)).where(
        Vote.estimation_id == earlier, Vote.query_id == any_of(query_ids)
    )
    await session.execute(insert(Vote).from_select(["estimation_id", *COPIED], copied))
    readings, votes = (sum(counts.get(query_id, (0, 0))[part] for query_id in query_ids) for part in (0, 1))
    return ReusedQueries(query_ids, readings, votes)
