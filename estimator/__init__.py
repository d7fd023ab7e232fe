"""How far each source can be trusted, from votes alone. Pure arithmetic: no I/O, no clock, no global random state.

votes = VoteMatrix.from_triples(query, source, answer, query_count=M, source_count=N)
result = estimate(votes)
result.reliability[source], result.answer[query]
"""

from estimator.errors import CredenceError, EstimatorError
from estimator.estimation import estimate
from estimator.policies import LabelCount, Method, NegativeWeights, SilentSources, StopReason, TiePolicy
from estimator.prior import BetaPrior
from estimator.result import Estimate
from estimator.votes import VoteMatrix

__all__ = [
    "BetaPrior",
    "CredenceError",
    "Estimate",
    "EstimatorError",
    "LabelCount",
    "Method",
    "NegativeWeights",
    "SilentSources",
    "StopReason",
    "TiePolicy",
    "VoteMatrix",
    "estimate",
]
