"""What an estimate comes to: one frozen value, whatever the method."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from estimator.copying.groups import CopyGroup
from estimator.methods.one_coin import State
from estimator.policies import Method, StopReason
from estimator.prior import BetaPrior

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """What the votes say about N sources and M queries. All arrays are read-only."""

    method: Method
    """The method that made it; never `Method.AUTO`."""
    reliability: Floats
    """(N,) estimated share of a source's votes that are right, in [0, 1], or NaN (`SilentSources.UNKNOWN`)."""
    weight: Floats
    """(N,) what a vote of the source counts; below 0 for a source below chance (`NegativeWeights`)."""
    vote_count: Integers
    """(N,) votes of the source."""
    answer: Integers
    """(M,) id of the winning answer; -1 where nobody voted, or a tie has no winner (`TiePolicy.NO_ANSWER`)."""
    margin: Floats
    """(M,) how far the winner leads, in [0, 1]; 0 for a tie and for a query without votes.

    For methods that count votes, the lead over the runner-up as a share of all |weight| on the query, where a
    runner-up that does not exist weighs 0, and 0 for the unanimous vote of sources whose weights sum to 0 or less.
    For `bayes` and `confusion`, the lead of its probability over that of the runner-up.
    """
    tied: Flags
    """(M,) whether several answers were the heaviest, so that `TiePolicy` decided."""
    rounds: int
    """How often answers and then reliabilities were computed anew; 0 without votes."""
    converged: bool
    """Whether another round would change nothing; True for methods of one round."""
    stop_reason: StopReason
    labels: int
    """L in `v_i = L * w_i - 1`; for `bayes` and `confusion` 1 more than the number of plausible wrong answers."""
    prior: BetaPrior
    """What the corpus says of a source that has not voted."""
    lower: Floats
    """(N,) lower end of the 90 % credible interval of the reliability."""
    upper: Floats
    """(N,) upper end of it.

    For methods that count votes, it takes their answers for right; `bayes` and `confusion` know that some are not.
    """
    posterior: Floats
    """(C,) probability that a class of the votes is right, NaN for methods that only count.

    What is missing to 1 in a query is the chance that nobody gave the right answer.
    """
    confidence: Floats
    """(M,) probability of `answer`, 0 where there is none, NaN for methods that only count."""
    groups: Integers
    """(N,) which sources are one voice, as labels from 0; all different where nobody copies, or nobody looked."""
    copies: tuple[CopyGroup, ...] = ()
    """The groups of several sources that `Method.AUTO` heard as one voice each, and the evidence."""
    reason: str = ""
    """Why `Method.AUTO` took this method and heard these groups as one voice, for a person."""
    diagnostics: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Figures by which to judge the estimate, by name."""
    state: State | None = None
    """Where `bayes` ended, for the next run to start from; None for methods that start from nothing."""
