"""What the service answers to the queries of a world if they are asked as questions: the vote of all sources that
answer, with what a run on these votes knows of them.
"""

from collections import defaultdict
from uuid import UUID

import numpy as np

from answering.voting import CastVote
from benchmarks.estimated import reliabilities_of
from estimator import Estimate, VoteMatrix
from estimator.arrays.types import Integers


def answers(votes: VoteMatrix, result: Estimate) -> Integers:
    """(M,) the answer of each query asked as a question, -1 where there is none."""
    electorate = reliabilities_of(result).electorate()
    cast: defaultdict[int, list[CastVote[UUID]]] = defaultdict(list)
    for query, source, answer in zip(*(column.tolist() for column in votes.triples()), strict=True):
        cast[query].append(CastVote(UUID(int=source), str(answer), str(answer)))
    answered = np.full(votes.query_count, -1, dtype=np.int64)
    for query, of_query in cast.items():
        winner = electorate.count(of_query).vote.winner
        answered[query] = -1 if winner is None else int(winner)
    return answered
