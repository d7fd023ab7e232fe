"""The consensus on every query of a corpus, in short and in batches."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from operator import not_
from uuid import UUID

import numpy as np

from answering.equivalence import representative
from answering.voting.many_queries import Winners, count_queries
from answering.voting.outcome import Outcome
from registry.corpora.model import Corpus
from registry.platform.database.engine import Database
from registry.platform.enums import QueryOrigin
from registry.sources.reliabilities import current_reliabilities
from registry.votes import store
from registry.votes.consensus import MIN_MARGIN, Counter, class_key
from registry.votes.schemas import ConsensusSummary
from registry.votes.store import Vote, VotedQuery

BATCH_QUERIES = 5_000
Votes = Mapping[UUID, Sequence[Vote]]


async def consensus_of_all(database: Database, corpus: Corpus) -> AsyncIterator[list[ConsensusSummary]]:
    """Of all active queries with votes, in the order of their ids; a transaction for each batch."""
    async with database.begin() as session:
        counter = Counter.of(await current_reliabilities(session, corpus))
    async for batch in store.query_batches(database, corpus, BATCH_QUERIES):
        async with database.begin() as session:
            run_id = counter.reliabilities.estimation_id
            votes = await store.with_readings(session, [query.id for query in batch], run_id)
        voted = [query for query in batch if query.id in votes]
        # In a thread: it would keep other requests waiting for as long.
        yield await asyncio.to_thread(summaries, counter, voted, votes)


def summaries(counter: Counter, queries: Sequence[VotedQuery], votes: Votes) -> list[ConsensusSummary]:
    """The consensus on each of the queries."""
    # Votes of a source that turned count by their dates, and read ones by the confidence of their readings.
    turned = any(source.periods for source in counter.sources.values())
    alone = [turned or not all(vote.imported for vote in votes[query.id]) for query in queries]
    at_once = iter(_counted_at_once(counter, list(compress(queries, map(not_, alone))), votes))
    return [
        counter.summarise(votes[query.id], query) if by_itself else next(at_once)
        for query, by_itself in zip(queries, alone, strict=True)
    ]


def _counted_at_once(counter: Counter, queries: Sequence[VotedQuery], votes: Votes) -> list[ConsensusSummary]:
    place = {source_id: index for index, source_id in enumerate(counter.sources)}
    rows = [
        (number, place[vote.source_id], vote.answer_key or _class_key(vote.answer, query), vote.answer)
        for number, query in enumerate(queries)
        for vote in votes[query.id]
        if vote.source_id in place
    ]
    if not rows:
        return [counter.summarise((), query) for query in queries]
    of_query, source, keys, answers = zip(*rows, strict=True)
    of_class = np.unique(np.array(keys), return_inverse=True)[1].astype(np.int64)
    columns = np.array(of_query), np.array(source), of_class
    counted = count_queries(counter.electorate, list(place), *columns, query_count=len(queries))
    cast = np.bincount(columns[0], minlength=len(queries))
    wordings = defaultdict[int, list[str]](list)
    for place_of_vote in np.flatnonzero(counted.winner[columns[0]] == of_class).tolist():
        wordings[of_query[place_of_vote]].append(answers[place_of_vote])
    return [
        _summary(query, counted, number, int(cast[number]), wordings.get(number))
        for number, query in enumerate(queries)
    ]


def _summary(
    query: VotedQuery, counted: Winners, number: int, votes: int, wordings: Sequence[str] | None
) -> ConsensusSummary:
    return ConsensusSummary(
        query_id=query.id,
        query=query.external_id,
        text=query.text,
        outcome=_outcome(counted, number),
        answer=representative(wordings) if wordings else None,
        confidence=float(counted.confidence[number]),
        margin=float(counted.margin[number]),
        votes=votes,
    )


def _outcome(counted: Winners, number: int) -> Outcome:
    """As `vote_outcome` has it."""
    if not counted.answers[number]:
        return Outcome.NO_EVIDENCE
    if counted.winner[number] < 0:
        return Outcome.UNSUPPORTED
    disputed = counted.answers[number] > 1 and counted.margin[number] < MIN_MARGIN
    return Outcome.CONFLICTING if counted.tied[number] or disputed else Outcome.ANSWERED


def _class_key(answer: str, query: VotedQuery) -> str:
    return _label_key(answer) if query.origin == QueryOrigin.VOTES else class_key(answer, query)


@lru_cache(maxsize=100_000)
def _label_key(answer: str) -> str:
    """Of an answer to a query that came with votes, whose text says nothing; labels repeat."""
    return class_key(answer, None)
