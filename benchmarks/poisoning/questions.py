"""What the service answers to the queries of a world if they are asked as questions: the vote of all sources that
answer, with what a run on these votes knows of them.
"""

from collections import defaultdict
from uuid import UUID

import numpy as np

from answering.voting import CastVote, Electorate
from estimator import Estimate, VoteMatrix
from estimator.arrays.types import Integers
from registry.estimations.model import EstimationRun
from registry.platform.enums import SourceStatus
from registry.sources.reliabilities import Reliabilities, SourceReliability


def electorate_of(result: Estimate) -> Electorate[UUID]:
    """That of a corpus whose current run is this estimate; sources are numbered from 0."""
    lower, upper = result.prior.interval()
    dissents = [{"source_ids": [str(UUID(int=member)) for member in group.members]} for group in result.dissents]
    run = EstimationRun(
        method=result.method,
        labels=result.labels,
        doubt=result.doubt,
        prior=result.prior.mean,
        prior_lower=lower,
        prior_upper=upper,
        joint_dissents=dissents,
    )
    group_of = {member: number for number, group in enumerate(result.copies) for member in group.members}
    sources = [
        SourceReliability(
            source_id=UUID(int=number),
            external_id=str(number),
            name=str(number),
            status=SourceStatus.ACTIVE,
            reliability=float(result.reliability[number]),
            estimated=float(result.reliability[number]),
            lower=float(result.lower[number]),
            upper=float(result.upper[number]),
            weight=float(result.weight[number]),
            vote_count=int(result.vote_count[number]),
            copy_group=group_of.get(number),
            override=None,
            systematic=None if result.systematic is None else float(result.systematic[number]),
        )
        for number in range(result.reliability.size)
    ]
    return Reliabilities(run, tuple(sources)).electorate()


def answers(votes: VoteMatrix, result: Estimate) -> Integers:
    """(M,) the answer of each query asked as a question, -1 where there is none."""
    electorate = electorate_of(result)
    cast: defaultdict[int, list[CastVote[UUID]]] = defaultdict(list)
    for query, source, answer in zip(*(column.tolist() for column in votes.triples()), strict=True):
        cast[query].append(CastVote(UUID(int=source), str(answer), str(answer)))
    answered = np.full(votes.query_count, -1, dtype=np.int64)
    for query, of_query in cast.items():
        winner = electorate.count(of_query).vote.winner
        answered[query] = -1 if winner is None else int(winner)
    return answered
