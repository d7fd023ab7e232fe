"""Imported votes as columns of numbers, for what is done with many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from estimator.converters import factorise
from registry.corpora.model import Corpus
from registry.platform.database.engine import driver_connection
from registry.platform.enums import AnswerPolicy
from registry.queries.model import Query
from registry.queries.store import policy_of
from registry.sources.model import Source
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_sources
from registry.votes.model import ImportedVote

Integers = NDArray[np.int64]
_NOBODY = UUID(int=0)
# Queries that follow each other in the order of their ids stand together in the index: a range of it is read at seven
# times the speed of as many look-ups.
SELECT_NUMBERED = """
    SELECT queries.number::int4 - 1, sources.number::int4 - 1, votes.answer
    FROM imported_votes AS votes
    JOIN unnest(%(queries)s::uuid[]) WITH ORDINALITY AS queries (id, number) ON queries.id = votes.query_id
    JOIN unnest(%(sources)s::uuid[]) WITH ORDINALITY AS sources (id, number) ON sources.id = votes.source_id
    WHERE votes.query_id BETWEEN %(first)s AND %(last)s AND votes.corpus_id = %(corpus)s
    ORDER BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class VoteColumns:
    """V votes in the order of their queries; all arrays are (V,)."""

    query: Integers
    """Places of the queries among those that were asked for, rising."""
    source: Integers
    """Places of the sources likewise."""
    answer: Integers
    """Places in `answers`."""
    answers: Sequence[str]


async def newest_voted(session: AsyncSession, corpus: Corpus, policy: AnswerPolicy, most: int) -> list[UUID]:
    """The newest active queries of this policy with votes, at most so many, in the order of their ids."""
    voted = select(ImportedVote.id).where(ImportedVote.query_id == Query.id).exists()
    is_of_policy = policy_of(corpus) == policy
    rows = select(Query.id).where(Query.corpus_id == corpus.id, Query.active, is_of_policy, voted)
    return sorted(await session.scalars(rows.order_by(Query.id.desc()).limit(most)))


async def votes_on(
    session: AsyncSession,
    corpus: Corpus,
    query_ids: Sequence[UUID],
    source_ids: Sequence[UUID],
    viewer: Viewer = ALL_SEEING,
) -> VoteColumns:
    """The imported votes of these sources that the viewer sees, on queries of the corpus given in the order of ids."""
    if not query_ids:
        none = np.zeros(0, dtype=np.int64)
        return VoteColumns(none, none, none, ())
    seen = select(Source.id).where(Source.corpus_id == corpus.id, *visible_sources(viewer))
    hidden = set() if viewer.sees_all else {*source_ids}.difference(await session.scalars(seen))
    # In the place of a hidden source stands one that there is not.
    source_ids = [_NOBODY if source_id in hidden else source_id for source_id in source_ids]
    connection = await driver_connection(session)
    values = {"queries": list(query_ids), "sources": list(source_ids), "corpus": corpus.id}
    values |= {"first": query_ids[0], "last": query_ids[-1]}
    async with connection.cursor(binary=True) as cursor:
        await cursor.execute(SELECT_NUMBERED, values)
        rows = await cursor.fetchall()
    queries, sources, answers = zip(*rows, strict=True) if rows else ((), (), ())
    answer, texts = factorise(answers)
    return VoteColumns(
        np.array(queries, dtype=np.int64), np.array(sources, dtype=np.int64), answer, cast("list[str]", texts)
    )
