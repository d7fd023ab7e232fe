"""The votes of an estimation run on queries to which several answers may be true."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from registry.estimations.store.votes import NUMBERED, RunVotes
from registry.platform.database.engine import driver_connection
from registry.platform.enums import AnswerPolicy, QueryOrigin

MARK = text(
    f"""
    UPDATE estimation_queries AS asked SET several = true
    FROM queries JOIN corpora ON corpora.id = queries.corpus_id
    WHERE asked.estimation_id = :run AND queries.id = asked.query_id
        AND coalesce(queries.answers, corpora.answers) = '{AnswerPolicy.SEVERAL}'
    """  # noqa: S608  (our own words)
)
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
    """A vote of a run on such a query."""

    query: int
    """Place among the queries of the run."""
    source: int
    """Place among its sources."""
    answer: str
    """Its answers, one a line."""
    question: str | None
    """The text of the query; None where that is no question."""


async def mark_several(session: AsyncSession, estimation_id: UUID) -> None:
    """Mark the queries of the run to which several answers may be true, as is said of them now."""
    await session.execute(MARK, {"run": estimation_id})


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
    """Store the classes of the whole lists of these votes."""
    columns = {
        "queries": [run_votes.query_ids[vote.query] for vote in votes],
        "sources": [run_votes.source_ids[vote.source] for vote in votes],
        "keys": list(keys),
    }
    raw = await driver_connection(session)
    await raw.execute(STORE_KEYS, {"run": run_votes.estimation_id, **columns})
