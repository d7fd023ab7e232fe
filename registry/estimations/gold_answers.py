"""The gold answers of the queries of a run, as the answer classes of its votes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.ext.asyncio import AsyncSession

from answering.equivalence import ClassPolicy, answer_key, classify
from estimator import VoteMatrix
from registry.corpora.model import Corpus
from registry.estimations.store.votes import RunVotes, class_numbers, classes_of_answers
from registry.queries import store as queries

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class GoldAnswers:
    """Gold answers to the M queries of a run."""

    has_gold: Flags
    """(M,)"""
    classes: Mapping[int, tuple[int, ...]]
    """By position of the query, the numbers of its right classes among those voted for, rising."""

    @classmethod
    async def load(
        cls,
        session: AsyncSession,
        corpus: Corpus,
        policy: ClassPolicy,
        run_votes: RunVotes,
        excluded: Collection[UUID] = (),
    ) -> Self:
        """The gold answers to the queries of these votes, without those to queries `excluded`."""
        with_gold = await queries.with_gold(session, corpus)
        judged = [(query.id, query.text, query.gold_answers or ()) for query in with_gold if query.id not in excluded]
        query_ids = {query_id for query_id, _, _ in judged}
        voted = await classes_of_answers(session, run_votes.estimation_id, query_ids) if policy.joins_keys else {}
        keys = {
            query_id: right_classes(answers, voted.get(query_id, {}), policy, question)
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
        """(N,) share of right votes on the queries with gold; the share of all such votes for a source that has none,
        and NaN if there are none.
        """
        votes = self.merged(run_votes).votes
        query, source, answer = votes.triples()
        judged = np.bincount(source[self.has_gold[query]], minlength=votes.source_count)
        agreed = np.bincount(source[answer == self.ids(votes)[query]], minlength=votes.source_count)
        mean = agreed.sum() / judged.sum() if judged.any() else np.nan
        shares: Floats = np.divide(agreed, judged, out=np.full(judged.size, mean), where=judged > 0)
        return shares


def right_classes(
    gold_answers: Sequence[str], voted: Mapping[str, str], policy: ClassPolicy, question: str
) -> set[str]:
    """The classes of the gold answers, and those of votes for an answer, given by answer, that would be in one class
    with a gold answer, were that voted for too.
    """
    right = {answer_key(answer, policy, question) for answer in gold_answers}
    return right | _joined(gold_answers, voted, policy, question) if policy.joins_keys else right


def _joined(gold_answers: Sequence[str], voted: Mapping[str, str], policy: ClassPolicy, question: str) -> set[str]:
    index = classify([*gold_answers, *voted], policy, question).index
    right = set(index[: len(gold_answers)])
    return {key for key, number in zip(voted.values(), index[len(gold_answers) :], strict=True) if number in right}
