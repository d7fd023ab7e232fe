"""The votes of a run as numbers, streamed out of Postgres, and the way back from their numbers to answers.

A run's queries are numbered in the order of their ids, the sources as they are given, the answer classes in the order
of their keys: one number means the same answer in all queries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from estimator import VoteMatrix, from_binary_copy
from registry.database.engine import driver_connection
from registry.models import RunQuery, Vote

Integers = NDArray[np.int64]
Wordings = Mapping[tuple[int, int], str]

# Counting millions of votes takes longer than a statement of a request may.
PATIENCE = "SET LOCAL statement_timeout = '10min'"
NUMBERED = """
    WITH asked AS (
        SELECT query_id, row_number() OVER (ORDER BY query_id) - 1 AS number
        FROM estimation_queries WHERE estimation_id = %(run)s
    ),
    heard AS (
        SELECT source_id, number - 1 AS number
        FROM unnest(%(sources)s::uuid[]) WITH ORDINALITY AS listed (source_id, number)
    ),
    named AS (
        SELECT answer_key, row_number() OVER (ORDER BY answer_key) - 1 AS number
        FROM (
            SELECT DISTINCT answer_key FROM votes WHERE estimation_id = %(run)s AND answer_key IS NOT NULL
        ) AS keys
    )
"""
COPY_VOTES = f"""
    COPY (
        {NUMBERED}
        SELECT asked.number, heard.number, named.number
        FROM votes JOIN asked USING (query_id) JOIN heard USING (source_id) JOIN named USING (answer_key)
        WHERE votes.estimation_id = %(run)s
    ) TO STDOUT (FORMAT binary)
"""  # noqa: S608  (our own words)
WORDINGS = f"""
    {NUMBERED},
    wanted AS (SELECT * FROM unnest(%(queries)s::bigint[], %(answers)s::bigint[]) AS pairs (query, answer))
    SELECT DISTINCT ON (wanted.query, wanted.answer) wanted.query, wanted.answer, votes.answer
    FROM votes JOIN asked USING (query_id) JOIN named USING (answer_key) JOIN heard USING (source_id)
    JOIN wanted ON wanted.query = asked.number AND wanted.answer = named.number
    WHERE votes.estimation_id = %(run)s
    GROUP BY wanted.query, wanted.answer, votes.answer
    ORDER BY wanted.query, wanted.answer, count(*) DESC, length(votes.answer), votes.answer COLLATE "C"
"""  # noqa: S608  (our own words)
CLASSES = f"{NUMBERED} SELECT answer_key, number FROM named WHERE answer_key = ANY(%(keys)s)"  # noqa: S608  (our own words)


@dataclass(frozen=True, slots=True)
class Tally:
    """The votes of a run: queries are places in `query_ids`, sources in `source_ids`."""

    estimation_id: UUID
    votes: VoteMatrix
    query_ids: Sequence[UUID]
    source_ids: Sequence[UUID]
    abstentions: Mapping[UUID, int]

    @property
    def names(self) -> dict[str, object]:
        """What the numbering hangs on."""
        return {"run": self.estimation_id, "sources": list(self.source_ids)}


async def load_tally(session: AsyncSession, estimation_id: UUID, source_ids: Sequence[UUID]) -> Tally:
    """All votes of a run by the given sources."""
    query_ids = (
        await session.scalars(
            select(RunQuery.query_id).where(RunQuery.estimation_id == estimation_id).order_by(RunQuery.query_id)
        )
    ).all()
    names = {"run": estimation_id, "sources": list(source_ids)}
    query, source, answer = await copied(session, COPY_VOTES, names, columns=3)
    votes = VoteMatrix.from_triples(query, source, answer, query_count=len(query_ids), source_count=len(source_ids))
    return Tally(estimation_id, votes, query_ids, source_ids, await _abstentions(session, estimation_id))


async def wordings(session: AsyncSession, tally: Tally, query: Integers, answer: Integers) -> Wordings:
    """The commonest wording of these answer classes, parallel arrays of numbers; nothing for one below 0."""
    known = answer >= 0
    wanted = {"queries": query[known].tolist(), "answers": answer[known].tolist()}
    raw = await driver_connection(session)
    rows = await raw.execute(WORDINGS, tally.names | wanted)
    return {(number, name): wording for number, name, wording in await rows.fetchall()}


async def class_numbers(session: AsyncSession, tally: Tally, keys: Sequence[str]) -> dict[str, int]:
    """The numbers of those of the answer classes that somebody voted for."""
    raw = await driver_connection(session)
    rows = await raw.execute(CLASSES, tally.names | {"keys": list(keys)})
    return dict(await rows.fetchall())


async def copied(
    session: AsyncSession, statement: str, names: Mapping[str, object], columns: int
) -> tuple[Integers, ...]:
    """The columns of a binary COPY of bigints."""
    return from_binary_copy(await copied_bytes(session, statement, names), columns)


async def copied_bytes(session: AsyncSession, statement: str, names: Mapping[str, object]) -> bytearray:
    """What a COPY sends."""
    await session.execute(text(PATIENCE))
    raw, received = await driver_connection(session), bytearray()
    async with raw.cursor() as cursor, cursor.copy(statement, names) as copy:
        async for block in copy:
            received += block
    return received


async def _abstentions(session: AsyncSession, estimation_id: UUID) -> dict[UUID, int]:
    rows = (
        select(Vote.source_id, func.count())
        .where(Vote.estimation_id == estimation_id, Vote.answer_key.is_(None))
        .group_by(Vote.source_id)
    )
    return dict((await session.execute(rows)).all())
