"""The influence of one source: the answers to the queries of a corpus without it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from answering.voting.vote import VoteResult
from registry.corpora.model import Corpus
from registry.platform.database.base import AsyncSession
from registry.queries.store import joined_answers
from registry.sources.model import Source
from registry.viewers.model import ALL_SEEING, Viewer
from registry.votes import store
from registry.votes.consensus import Counter
from registry.votes.store import Vote, VotedQuery

MOST_QUERIES: Final = 10_000
"""Most queries with a vote of the source that are counted, the newest ones, so that a request ends within seconds."""


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A query with another answer if the source is left out."""

    query: VotedQuery
    answer: str | None
    without: str | None
    """None where nobody else answers, or others are tied."""


@dataclass(frozen=True, slots=True)
class Influence:
    """The influence of a source."""

    estimation_id: UUID | None
    queries: int
    """Active ones with one answer on which it votes, and which were counted."""
    changed: tuple[ChangedAnswer, ...]


async def influence_of(session: AsyncSession, corpus: Corpus, source: Source, viewer: Viewer = ALL_SEEING) -> Influence:
    """The queries on which the votes that the viewer sees agree on something else without those of the source.
    Reliabilities stay as the current run has them; an inactive source has no influence.
    """
    counter = await Counter.load(session, corpus)
    run_id = counter.reliabilities.estimation_id
    voted = await store.queries_of_source(session, corpus, source.id, run_id, MOST_QUERIES, viewer)
    joins = await joined_answers.of_questions(session, corpus)
    voted = [query._replace(joins=joins.get(query.text, query.joins)) for query in voted]
    votes = await store.with_readings(session, [query.id for query in voted], run_id, viewer)
    # In a thread: it would keep other requests waiting for as long.
    changed = await asyncio.to_thread(_changed, counter, voted, votes, source.id)
    return Influence(run_id, len(voted), changed)


def _changed(
    counter: Counter, voted: Sequence[VotedQuery], votes: Mapping[UUID, Sequence[Vote]], source_id: UUID
) -> tuple[ChangedAnswer, ...]:
    changed = []
    for query in voted:
        of_query = votes.get(query.id, [])
        others = [vote for vote in of_query if vote.source_id != source_id]
        with_it, without = (counter.count(cast, query).vote for cast in (of_query, others))
        if (with_it.winner, with_it.tied) != (without.winner, without.tied):
            changed.append(ChangedAnswer(query, _untied(with_it), _untied(without)))
    return tuple(changed)


def _untied(vote: VoteResult[UUID]) -> str | None:
    return None if vote.tied else vote.answer
