"""The gold answers of the queries of a run, as the answer classes of its votes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Self
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from answering.equivalence import ClassPolicy, answer_key
from estimator import VoteMatrix
from registry.models import Corpus, Query
from registry.store.votes import RunVotes, class_numbers

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
        gold = select(Query.id, Query.text, Query.gold_answers)
        rows = gold.where(Query.corpus_id == corpus.id, Query.gold_answers.is_not(None))
        keys = {
            query_id: {answer_key(answer, policy, question) for answer in answers or ()}
            for query_id, question, answers in await session.execute(rows)
            if query_id not in excluded
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
