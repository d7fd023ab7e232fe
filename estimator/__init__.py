"""How far each source can be trusted, from votes alone. Pure arithmetic: no I/O, no clock, no global random state.

votes = VoteMatrix.from_triples(query, source, answer, query_count=M, source_count=N)
result = estimate(votes, Method.AUTO)
result.reliability[source], result.lower[source], result.upper[source], result.answer[query]

`from_records`, `from_arrow` and `from_binary_copy` take votes that are not numbered yet; `next_queries` says what to
ask a source whose interval is wide; `estimate(votes.extended(...), previous=result)` starts from the last run.
"""

from estimator.converters import NamedVotes, from_arrow, from_binary_copy, from_records
from estimator.copying.witness import Witness
from estimator.errors import CredenceError, EstimatorError
from estimator.estimation import estimate
from estimator.methods.one_coin import State
from estimator.methods.wrong_answers import Mixture
from estimator.policies import LabelCount, Method, NegativeWeights, SilentSources, StopReason, TiePolicy
from estimator.prior import BetaPrior
from estimator.query_selection import NextQueries, next_queries
from estimator.result import Estimate
from estimator.votes import VoteMatrix

__all__ = [
    "BetaPrior",
    "CredenceError",
    "Estimate",
    "EstimatorError",
    "LabelCount",
    "Method",
    "Mixture",
    "NamedVotes",
    "NegativeWeights",
    "NextQueries",
    "SilentSources",
    "State",
    "StopReason",
    "TiePolicy",
    "VoteMatrix",
    "Witness",
    "estimate",
    "from_arrow",
    "from_binary_copy",
    "from_records",
    "next_queries",
]
