"""Votes of queries that came with votes: they are copied into a run in batches, and nothing is searched or read."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from uuid import UUID

from answering.equivalence import NO_JOINS, ClassPolicy, Joins, answer_key
from answering.voting import ReadingStatus, SourceReading, class_keys
from registry.estimations.collection.run_context import RunContext
from registry.estimations.store import collection
from registry.platform.database.base import AsyncSession
from registry.queries.store import joined_answers
from registry.readings.service import imported_reading
from registry.votes import store
from registry.votes.store import Vote, VotedQuery

# Queries whose votes are copied in one transaction: a stop or a crash loses no more.
BATCH_QUERIES = 5_000


async def copy_votes(session: AsyncSession, run: RunContext, queries: Sequence[VotedQuery]) -> dict[str, int]:
    """Copy the imported votes on those of the queries that the run does not have yet; returns the added counts."""
    votes = await store.of_queries(session, [query.id for query in queries], run.source_ids)
    # Of all queries: people join few.
    joined = await joined_answers.of_questions(session, run.corpus)
    joins = {query.id: joined[query.text] for query in queries if query.text in joined}
    counted = {query.id: (query.text, len(votes.get(query.id, ()))) for query in queries}
    new = await collection.add_queries(session, run.id, counted)
    rows = (
        row
        for query_id in sorted(new)
        for row in _rows(run, query_id, votes.get(query_id, ()), joins.get(query_id, NO_JOINS))
    )
    count = await collection.copy_imported(session, rows)
    return {"queries_collected": len(new), "votes_total": count}


def _rows(run: RunContext, query_id: UUID, votes: Sequence[Vote], joins: Joins) -> Iterator[tuple[object, ...]]:
    policy = run.parameters.class_policy
    keys = _keys(votes, policy, joins)
    for vote in votes:
        key = keys[vote.source_id]
        yield (
            run.id, query_id, vote.source_id, ReadingStatus.ANSWERED.value, vote.answer, key, True, True, "[]", vote.at
        )  # fmt: skip


def _keys(votes: Sequence[Vote], policy: ClassPolicy, joins: Joins) -> Mapping[UUID, str]:
    """The classes of answers; under some policies they depend on all of them."""
    if not policy.joins_keys:
        return {vote.source_id: joins.joined(_key(vote.answer, policy), policy) for vote in votes}
    readings: dict[UUID, SourceReading] = {
        vote.source_id: imported_reading(None, vote, policy, joins) for vote in votes
    }
    return class_keys(readings, policy)


@lru_cache(maxsize=100_000)
def _key(answer: str, policy: ClassPolicy) -> str:
    """The key of an answer; labels repeat."""
    return answer_key(answer, policy)
