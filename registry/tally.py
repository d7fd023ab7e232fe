"""The votes of a run as integer arrays, and the way back from their numbers to answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.models import RunQuery, Vote

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Tally:
    """V votes: `query[v]` indexes `query_ids`, `source[v]` the sources given, `answer[v]` the query's classes."""

    query: Integers
    source: Integers
    answer: Integers
    query_ids: Sequence[UUID]
    surfaces: Mapping[tuple[int, int], str]
    abstentions: Mapping[UUID, int]

    def surface(self, query: int, answer: int) -> str | None:
        """The commonest wording of an answer class; None where there is no answer."""
        return self.surfaces.get((query, answer))


async def load_tally(session: AsyncSession, estimation_id: UUID, source_ids: Sequence[UUID]) -> Tally:
    """All votes of a run by the given sources; Postgres numbers the answer classes of each query."""
    rank = func.dense_rank().over(partition_by=Vote.query_id, order_by=Vote.answer_key)
    voted = (Vote.estimation_id == estimation_id, Vote.answer_key.is_not(None))
    votes = await session.execute(select(Vote.query_id, Vote.source_id, rank - 1, Vote.answer).where(*voted))
    query_ids = (
        await session.scalars(
            select(RunQuery.query_id).where(RunQuery.estimation_id == estimation_id).order_by(RunQuery.query_id)
        )
    ).all()
    query_index = {query_id: index for index, query_id in enumerate(query_ids)}
    source_index = {source_id: index for index, source_id in enumerate(source_ids)}
    wordings: dict[tuple[int, int], dict[str, int]] = {}
    triples: list[tuple[int, int, int]] = []
    for query_id, source_id, answer, wording in votes:
        if source_id not in source_index:  # retired while the run was interrupted
            continue
        query = query_index[query_id]
        triples.append((query, source_index[source_id], answer))
        counts = wordings.setdefault((query, answer), {})
        counts[str(wording)] = counts.get(str(wording), 0) + 1
    query_column, source_column, answer_column = np.array(triples, dtype=np.int64).reshape(-1, 3).T
    surfaces = {key: min(counts, key=lambda word: (-counts[word], len(word), word)) for key, counts in wordings.items()}
    abstentions = await _abstentions(session, estimation_id)
    return Tally(query_column, source_column, answer_column, query_ids, surfaces, abstentions)


async def _abstentions(session: AsyncSession, estimation_id: UUID) -> dict[UUID, int]:
    rows = (
        select(Vote.source_id, func.count())
        .where(Vote.estimation_id == estimation_id, Vote.answer_key.is_(None))
        .group_by(Vote.source_id)
    )
    return dict((await session.execute(rows)).all())
