"""Expectation maximisation of the one-coin model, whoever adds up the votes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

import numpy as np

from estimator.arrays.types import Floats
from estimator.methods.member import Options
from estimator.policies import StopReason
from estimator.prior import BetaPrior
from estimator.topics.pooling import PooledPrior
from estimator.wrong_answers import PartitionLikelihood

# A reliability that moves by less than this share of the standard error of n votes stands still.
_TOLERANCE: Final = 0.01

Prior = TypeVar("Prior", BetaPrior, PooledPrior)


class Expectation(Protocol):
    """The E-step, as far as the rounds need it."""

    def __call__(
        self, reliability: Floats, likelihood: PartitionLikelihood, *, refit: bool
    ) -> tuple[Floats, Floats, PartitionLikelihood]:
        """Expected right votes (N,) of the sources under reliabilities (N,), their votes (N,), or what of these they
        stated, and the mixture of wrong answers, fitted anew if `refit`.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Alternation(Generic[Prior]):
    reliability: Floats
    """(N,)"""
    prior: Prior
    likelihood: PartitionLikelihood
    rounds: int
    stop_reason: StopReason


def alternate(
    expect: Expectation,
    fit_prior: Callable[[Floats, Floats], Prior],
    votes: Floats,
    start: tuple[Floats, PartitionLikelihood],
    *,
    options: Options,
) -> Alternation[Prior]:
    """Alternate E-steps and M-steps until the reliabilities of N sources with `votes` (N,) stand still.

    The prior and the mixture of wrong answers are fitted anew in rounds 1, 2, 4, 8 and so on, and whenever the
    reliabilities stand still.
    """
    still = np.maximum(options.tolerance, _TOLERANCE * 0.5 / np.sqrt(1 + votes))
    reliability, likelihood = start
    prior, at_rest, rounds, reason = fit_prior(votes[:0], votes[:0]), False, 0, StopReason.ROUND_LIMIT
    for rounds in range(1, options.max_rounds + 1):
        refit = at_rest or rounds & (rounds - 1) == 0
        right, stated, likelihood = expect(reliability, likelihood, refit=refit)
        if refit:
            prior = fit_prior(right, stated)
        # Posterior means, given the expected numbers of right votes.
        previous, reliability = reliability, (prior.alpha + right) / (prior.strength + stated)
        at_rest = bool((np.abs(reliability - previous) <= still).all())
        if at_rest and refit and rounds > 1:
            reason = StopReason.CONVERGED
            break
    return Alternation(reliability, prior, likelihood, rounds, reason)
