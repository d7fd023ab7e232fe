"""Imported votes, copied into a run: nothing is read for them."""

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from answering.equivalence import NO_JOINS, ClassPolicy, Joins, answer_key
from answering.voting import ReadingStatus, SourceReading, class_keys
from registry.estimations.store.collection import RunContext, add_queries
from registry.platform.database.engine import driver_connection
from registry.queries.store import joined_answers
from registry.readings.service import imported_reading
from registry.votes import store as votes_store

COPY = """
    COPY votes (estimation_id, query_id, source_id, status, answer, answer_key, stated, imported, document_ids,
                published_at)
    FROM STDIN
"""


async def copy_votes(session: AsyncSession, run: RunContext, queries: Mapping[UUID, str]) -> dict[str, int]:
    """Copy the imported votes on those of the queries that the run does not have yet; returns the added counts."""
    votes = await votes_store.of_queries(session, queries, run.source_ids)
    # Of all queries: people join few.
    joined = await joined_answers.of_questions(session, run.corpus)
    joins = {query_id: joined[text] for query_id, text in queries.items() if text in joined}
    counted = {query_id: (text, len(votes.get(query_id, ()))) for query_id, text in queries.items()}
    new = await add_queries(session, run.id, counted)
    rows = (
        row
        for query_id in sorted(new)
        for row in _rows(run, query_id, votes.get(query_id, ()), joins.get(query_id, NO_JOINS))
    )
    raw, count = await driver_connection(session), 0
    async with raw.cursor() as cursor, cursor.copy(COPY) as copy:
        for row in rows:
            await copy.write_row(row)
            count += 1
    return {"queries_collected": len(new), "votes_total": count}


def _rows(
    run: RunContext, query_id: UUID, votes: Sequence[votes_store.Vote], joins: Joins
) -> Iterator[tuple[object, ...]]:
    policy = run.parameters.class_policy
    keys = _keys(votes, policy, joins)
    for vote in votes:
        key = keys[vote.source_id]
        yield (
            run.id, query_id, vote.source_id, ReadingStatus.ANSWERED.value, vote.answer, key, True, True, "[]", vote.at
        )  # fmt: skip


def _keys(votes: Sequence[votes_store.Vote], policy: ClassPolicy, joins: Joins) -> Mapping[UUID, str]:
    """The classes of answers; under some policies they depend on all of them."""
    if not policy.joins_keys:
        return {vote.source_id: joins.joined(answer_key(vote.answer, policy), policy) for vote in votes}
    readings: dict[UUID, SourceReading] = {
        vote.source_id: imported_reading(None, vote, policy, joins) for vote in votes
    }
    return class_keys(readings, policy)
