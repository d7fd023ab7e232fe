"""The gold answers of the queries of a run, as the answer classes of its votes, and which votes a change of them moves.

Gold answers count from the next estimation on; its votes may be others.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from answering.equivalence import NO_JOINS, ClassPolicy, Joins, answer_key, classify
from estimator import VoteMatrix
from registry.corpora.model import Corpus
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.votes import RunVotes, answers_to, class_numbers, classes_of_answers
from registry.platform.database.base import AsyncSession
from registry.queries import store as queries
from registry.queries.model import Query
from registry.queries.schemas import MovedVote, VoteCounts
from registry.queries.store import joined_answers
from registry.sources.store.estimates import current_run

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class GoldAnswers:
    """Gold answers to the M queries of a run."""

    has_gold: Flags
    """(M,)"""
    classes: Mapping[int, tuple[int, ...]]
    """The numbers of the right classes among those voted for, rising, by position of the query."""

    @classmethod
    async def load(
        cls,
        session: AsyncSession,
        corpus: Corpus,
        policy: ClassPolicy,
        run_votes: RunVotes,
        excluded: Collection[UUID] = (),
    ) -> Self:
        """The gold answers to the queries of these votes, without those `excluded` and with several true answers."""
        with_gold = await queries.with_gold(session, corpus)
        excluded = {*excluded, *run_votes.several}
        judged = [(query.id, query.text, query.gold_answers or ()) for query in with_gold if query.id not in excluded]
        query_ids = {query_id for query_id, _, _ in judged}
        voted = await classes_of_answers(session, run_votes.estimation_id, query_ids) if policy.joins_keys else {}
        joins = await joined_answers.of_questions(session, corpus) if judged else {}
        keys = {
            query_id: right_classes(answers, voted.get(query_id, {}), policy, question, joins.get(question, NO_JOINS))
            for query_id, question, answers in judged
        }
        number = await class_numbers(session, run_votes, sorted(set().union(*keys.values())))
        votes = run_votes.votes
        voted_for = set(zip(votes.class_query.tolist(), votes.class_answer.tolist(), strict=True))
        classes = {
            position: tuple(sorted(number[key] for key in keys[query_id] if (position, number.get(key)) in voted_for))
            for position, query_id in enumerate(run_votes.query_ids)
            if keys.get(query_id)
        }
        has_gold = np.isin(np.arange(votes.query_count), list(classes))
        return cls(has_gold, classes)

    def merged(self, run_votes: RunVotes) -> RunVotes:
        """The votes with all right classes of a query as one, the first."""
        votes = run_votes.votes
        query, source, answer = votes.triples()
        start = np.searchsorted(query, np.arange(votes.query_count + 1))
        for position, numbers in self.classes.items():
            if len(numbers) > 1:
                answers = answer[start[position] : start[position + 1]]
                answers[np.isin(answers, numbers)] = numbers[0]
        counts = {"query_count": votes.query_count, "source_count": votes.source_count}
        time = None if run_votes.time is None else run_votes.time[np.lexsort((source, answer, query))]
        merged = VoteMatrix.from_triples(query, source, answer, **counts)
        if votes.read is not None:
            merged = merged.with_misreadings(1 - votes.read[np.lexsort((source, answer, query))])
        return replace(run_votes, votes=merged, time=time)

    def ids(self, votes: VoteMatrix) -> Integers:
        """(M,) the right class of `merged` votes, -1 where unknown; a class without votes where no vote is right."""
        gold = np.full(votes.query_count, -1)
        gold[self.has_gold] = int(votes.class_answer.max(initial=-1)) + 1
        for position, numbers in self.classes.items():
            if numbers:
                gold[position] = numbers[0]
        return gold

    def shares(self, run_votes: RunVotes) -> Floats:
        """(N,) share of right votes on the queries with gold; of all such votes for a source without; NaN if none."""
        votes = self.merged(run_votes).votes
        query, source, answer = votes.triples()
        judged = np.bincount(source[self.has_gold[query]], minlength=votes.source_count)
        agreed = np.bincount(source[answer == self.ids(votes)[query]], minlength=votes.source_count)
        mean = agreed.sum() / judged.sum() if judged.any() else np.nan
        shares: Floats = np.divide(agreed, judged, out=np.full(judged.size, mean), where=judged > 0)
        return shares


def right_classes(
    gold_answers: Sequence[str], voted: Mapping[str, str], policy: ClassPolicy, question: str, joins: Joins
) -> set[str]:
    """The classes of the gold answers, and those of votes for an answer, given by answer, that would be in one class
    with a gold answer, were that voted for too.

    The votes may be of a run from before the joins, or from before one was undone.
    """
    gold_answers = joins.with_joined(gold_answers, policy, question)
    right = {answer_key(answer, policy, question) for answer in gold_answers}
    return right | _joined(gold_answers, voted, policy, question) if policy.joins_keys else right


def _joined(gold_answers: Sequence[str], voted: Mapping[str, str], policy: ClassPolicy, question: str) -> set[str]:
    index = classify([*gold_answers, *voted], policy, question).index
    right = set(index[: len(gold_answers)])
    return {key for key, number in zip(voted.values(), index[len(gold_answers) :], strict=True) if number in right}


@dataclass(frozen=True, slots=True)
class GoldEffect:
    """The votes of a run on a query; empty without a run, or without the query in it."""

    estimation_id: UUID | None
    before: VoteCounts
    after: VoteCounts
    moved: list[MovedVote]


async def gold_effect(
    session: AsyncSession, corpus: Corpus, query: Query, before: Sequence[str] | None, after: Sequence[str] | None
) -> GoldEffect:
    """The effect on the votes of the current run if `after` are the right answers instead of `before`."""
    run = await current_run(session, corpus)
    rows = await answers_to(session, run, query) if run is not None else []
    parameters = EstimationParameters.model_validate(run.parameters if run is not None else {})
    voted = {answer: key for _, _, answer, key in rows}
    joins = (await joined_answers.of_questions(session, corpus, [query.text])).get(query.text, NO_JOINS)

    def verdicts(gold_answers: Sequence[str] | None) -> list[bool | None]:
        if not gold_answers:
            return [None] * len(rows)
        right = right_classes(gold_answers, voted, parameters.class_policy, query.text, joins)
        return [key in right for _, _, _, key in rows]

    was, is_now = verdicts(before), verdicts(after)
    moved = [
        MovedVote(source_id=source_id, source_name=name, answer=answer, before=old, after=new)
        for (source_id, name, answer, _), old, new in zip(rows, was, is_now, strict=True)
        if old is not new
    ]
    counts_before, counts = [VoteCounts(right=each.count(True), wrong=each.count(False)) for each in (was, is_now)]
    return GoldEffect(None if run is None else run.id, counts_before, counts, moved)
