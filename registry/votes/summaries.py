"""The consensus on every query of a corpus, in short, and the influence of one source on it."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from answering.enums import Outcome
from answering.voting import Count
from answering.voting.many_queries import Winners, count_queries, representatives
from answering.voting.outcome import outcome_of
from answering.voting.vote import VoteResult
from registry.corpora.model import Corpus
from registry.platform.database.base import AsyncSession
from registry.platform.database.engine import Database
from registry.platform.enums import AnswerPolicy, QueryOrigin
from registry.queries.store import joined_answers
from registry.sources.model import Source
from registry.sources.reliabilities import of_voters
from registry.sources.store.estimates import current_run
from registry.viewers.model import ALL_SEEING, Viewer
from registry.votes import store
from registry.votes.consensus import MIN_MARGIN, YES_OR_NO, Counter, class_key, is_yes_or_no, question_of
from registry.votes.schemas import ConsensusSummary, NumberSummary
from registry.votes.store import Vote, VotedQuery
from registry.votes.store.columns import VoteColumns, votes_on

BATCH_QUERIES = 10_000
Votes = Mapping[UUID, Sequence[Vote]]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


async def consensus_of_all(
    database: Database, corpus: Corpus, viewer: Viewer = ALL_SEEING
) -> AsyncIterator[list[ConsensusSummary]]:
    """The consensus of all active queries with votes, in the order of their ids, with a transaction for each batch."""
    async with database.begin() as session:
        counter = await Counter.load(session, corpus)
        joins = await joined_answers.of_questions(session, corpus)
    async for stored in store.query_batches(database, corpus, BATCH_QUERIES, viewer=viewer):
        batch = [query._replace(joins=joins[query.text]) if query.text in joins else query for query in stored]
        async with database.begin() as session:
            counter = await counter.ready_for(session, corpus, {query.policy for query in batch})
            columns = await votes_on(session, corpus, [query.id for query in batch], list(counter.sources), viewer)
            alone = await _votes_of_their_own(session, counter, batch, columns, viewer)
        # In a thread: it would keep other requests waiting for as long.
        yield await asyncio.to_thread(summaries, counter, batch, columns, alone)


async def _votes_of_their_own(
    session: AsyncSession, counter: Counter, queries: Sequence[VotedQuery], columns: VoteColumns, viewer: Viewer
) -> Votes:
    """The votes on queries that are counted one by one: those that were read count by the confidence of their readings,
    those of a source that turned by their dates, and those that list several answers by each of these.
    """
    run_id = counter.reliabilities.estimation_id
    sent = [query.id for query in queries if query.origin != QueryOrigin.VOTES]
    turned = np.array([bool(source.periods) for source in counter.sources.values()], dtype=np.bool_)
    of_turned = {queries[number].id for number in set(columns.query[turned[columns.source]].tolist())}
    several = {query.id for query in queries if query.policy is AnswerPolicy.SEVERAL}
    alone = several | of_turned | await store.queries_read(session, sent, run_id)
    return await store.with_readings(session, alone, run_id, viewer)


def summaries(
    counter: Counter, queries: Sequence[VotedQuery], columns: VoteColumns, alone: Votes
) -> list[ConsensusSummary]:
    counted = _counted_at_once(counter, queries, columns, alone)
    by_itself = {query.id: counter.summarise(alone[query.id], query) for query in queries if query.id in alone}
    together = by_itself | counted
    return [together[query.id] for query in queries if query.id in together]


def _counted_at_once(
    counter: Counter, queries: Sequence[VotedQuery], columns: VoteColumns, alone: Collection[UUID]
) -> dict[UUID, ConsensusSummary]:
    keys, classes = _classes(queries, columns)
    yes_or_no = _yes_or_no(queries, columns.query, np.isin(keys, list(YES_OR_NO))[classes])
    counted = count_queries(
        counter.electorate,
        list(counter.sources),
        columns.query,
        columns.source,
        classes,
        query_count=len(queries),
        yes_or_no=yes_or_no if counter.tells_yes_or_no else None,
    )
    won = counted.winner[columns.query] == classes
    answers = representatives(columns.query[won], columns.answer[won], columns.answers)
    cast = np.bincount(columns.query, minlength=len(queries)).tolist()
    numbers = counter.errors.summaries(columns, len(queries)) if counter.errors else {}
    numbers = {place: found for place, found in numbers.items() if queries[place].policy is AnswerPolicy.NUMBER}
    return {
        query.id: _summary(query, counted, number, cast[number], answers.get(number), numbers.get(number))
        for number, query in enumerate(queries)
        if cast[number] and query.id not in alone
    }


def _yes_or_no(queries: Sequence[VotedQuery], query: Integers, says_so: Flags) -> Flags:
    """(Q,) queries with two possible answers, given those of the votes (V,) and whether these are yes or no (V,); see
    `is_yes_or_no`.
    """
    others = np.bincount(query[~says_so], minlength=len(queries)) > 0
    found = [
        is_yes_or_no(each, ["other"] if other else []) for each, other in zip(queries, others.tolist(), strict=True)
    ]
    return np.array(found, dtype=np.bool_)


def _classes(queries: Sequence[VotedQuery], columns: VoteColumns) -> tuple[Sequence[str], Integers]:
    """The keys in their order, and the classes of the votes (V,), which are places in it."""
    is_item = np.array([query.origin == QueryOrigin.VOTES and not query.joins.groups for query in queries], np.bool_)
    # What an answer to a question means may depend on that, and on what is joined.
    question = np.where(is_item[columns.query], -1, columns.query)
    width = max(len(columns.answers), 1)
    pairs, pair = np.unique(question * width + columns.answer, return_inverse=True)
    keys = [
        class_key(columns.answers[answer], queries[number] if number >= 0 else None)
        for number, answer in zip(*(part.tolist() for part in np.divmod(pairs, width)), strict=True)
    ]
    distinct = sorted(set(keys))
    number_of = {key: number for number, key in enumerate(distinct)}
    return distinct, np.array([number_of[key] for key in keys], dtype=np.int64)[pair]


def _summary(
    query: VotedQuery,
    counted: Winners,
    number: int,
    votes: int,
    answer: str | None,
    as_number: NumberSummary | None,
) -> ConsensusSummary:
    return ConsensusSummary(
        query_id=query.id,
        query=query.external_id,
        text=query.text,
        outcome=_outcome(counted, number),
        answer=answer,
        confidence=float(counted.confidence[number]),
        confidence_capped=bool(counted.capped[number]),
        margin=float(counted.margin[number]),
        votes=votes,
        number=as_number,
    )


def _outcome(counted: Winners, number: int) -> Outcome:
    """The outcome, as in `vote_outcome`."""
    close = counted.tied[number] or counted.ahead[number] < MIN_MARGIN
    answers = 0 if counted.winner[number] < 0 else 2 if close else 1
    return outcome_of(answers, found=bool(counted.answers[number]))


MOST_QUERIES: Final = 10_000
"""Most queries with a vote of the source that are counted, the newest ones, so that a request ends within seconds."""


# Of sums of weights, in which a lead below it is a tie.
_ROUNDING: Final = 1e-6


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A query with another answer if the source is left out."""

    query: VotedQuery
    answer: str | None
    without: str | None
    """None where nobody else answers, or others are tied."""


@dataclass(frozen=True, slots=True)
class Influence:
    estimation_id: UUID | None
    queries: int
    """Active ones with one answer on which it votes, and which were counted."""
    changed: tuple[ChangedAnswer, ...]


async def influence_of(session: AsyncSession, corpus: Corpus, source: Source, viewer: Viewer = ALL_SEEING) -> Influence:
    """The queries on which the votes that the viewer sees agree on something else without those of the source.
    Reliabilities stay as the current run has them; an inactive source has no influence.
    """
    run = await current_run(session, corpus)
    run_id = run.id if run else None
    voted = await store.queries_of_source(session, corpus, source.id, run_id, MOST_QUERIES, viewer)
    joins = await joined_answers.of_questions(session, corpus)
    voted = [query._replace(joins=joins.get(query.text, query.joins)) for query in voted]
    votes = await store.with_readings(session, [query.id for query in voted], run_id, viewer)
    voters = {vote.source_id for of_query in votes.values() for vote in of_query}
    counter = Counter.of(await of_voters(session, corpus, voters))
    # In a thread: it would keep other requests waiting for as long.
    changed = await asyncio.to_thread(changed_answers, counter, voted, votes, source.id)
    return Influence(run_id, len(voted), changed)


def changed_answers(
    counter: Counter, voted: Sequence[VotedQuery], votes: Mapping[UUID, Sequence[Vote]], source_id: UUID
) -> tuple[ChangedAnswer, ...]:
    """The queries with other answers without the votes of the source."""
    changed = []
    for query in voted:
        cast = counter.cast(votes.get(query.id, []), query)
        with_it = counter.count_cast(cast, query)
        if _stays(with_it, source_id, query):
            continue
        without = counter.count_cast([vote for vote in cast if vote.source_id != source_id], query).vote
        if (with_it.vote.winner, with_it.vote.tied) != (without.winner, without.tied):
            changed.append(ChangedAnswer(query, _untied(with_it.vote), _untied(without)))
    return tuple(changed)


def _stays(count: Count[UUID], source_id: UUID, query: VotedQuery) -> bool:
    """Whether the winner leads by more than the vote of an independent source, so that nothing need be counted again.

    Of items, the votes say how many answers there may be.
    """
    own = next((ballot for ballot in count.ballots if ballot.source_id == source_id), None)
    is_alone = count.electorate.copy_group(source_id) == source_id and question_of(query) is not None
    if own is None or own.weight < 0 or count.vote.winner is None or count.vote.tied or not is_alone:
        return False
    first, *others = count.vote.tally
    lead = first.weight - max((line.weight for line in others), default=0.0)
    return own.answer_key != first.key or lead > own.weight * (1 + _ROUNDING) + _ROUNDING * first.weight


def _untied(vote: VoteResult[UUID]) -> str | None:
    return None if vote.tied else vote.answer
