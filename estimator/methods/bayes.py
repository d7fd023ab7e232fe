"""The one-coin model from votes to belief: best fit, then its posterior, sampled where the corpus is small."""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from estimator import prior
from estimator.arrays.vote_table import Ballot
from estimator.fixed_point import Limits
from estimator.intervals import beta_posterior
from estimator.methods import one_coin_sampling
from estimator.methods.belief import Belief
from estimator.methods.one_coin import Fit, OneCoin, State, log_odds
from estimator.methods.one_coin_sampling import Sampled
from estimator.policies import Method, StopReason

Floats = NDArray[np.float64]

INDISTINCT: Final = 1e-5
"""Probabilities of a fit that are this close are equal but for where the iteration stopped."""


def believe(
    ballot: Ballot, limits: Limits, start: State | None, random: np.random.Generator
) -> tuple[Belief, Floats | float]:
    """The belief, and how far apart two probabilities of a query have to be to be different."""
    model = OneCoin.of(ballot)
    if one_coin_sampling.is_small(ballot):  # costs little anew, and then hangs on no earlier run
        fit = model.fit(limits)
        drawn = one_coin_sampling.sample(model, fit.state, random)
        return _from_samples(drawn, fit, random), np.maximum(drawn.error, INDISTINCT)
    return _from_fit(ballot, model.fit(limits, start)), INDISTINCT


def _from_fit(ballot: Ballot, fit: Fit) -> Belief:
    lower, upper = prior.beta_interval(*beta_posterior(ballot, fit.verdict.right, fit.state.reliability, fit.prior))
    return _belief(
        fit,
        fit.state,
        (lower, upper),
        fit.verdict.right,
        fit.stop_reason,
        {"nobody_right": _mean(fit.verdict.nobody)},
    )


def _from_samples(drawn: Sampled, fit: Fit, random: np.random.Generator) -> Belief:
    state = State(drawn.reliability, drawn.mixture, drawn.prior.mean)
    return _belief(
        replace(fit, prior=drawn.prior),
        state,
        drawn.interval(random),
        drawn.right,
        StopReason.SAMPLED,
        {"nobody_right": _mean(drawn.nobody), "r_hat": drawn.between},
    )


def _belief(
    fit: Fit,
    state: State,
    interval: tuple[Floats, Floats],
    right: Floats,
    reason: StopReason,
    diagnostics: dict[str, float],
) -> Belief:
    plausible = state.mixture.plausible
    return Belief(
        method=Method.BAYES,
        reliability=state.reliability,
        weight=log_odds(state.reliability) + np.log(plausible),
        lower=interval[0],
        upper=interval[1],
        prior=fit.prior,
        rounds=fit.rounds,
        stop_reason=reason,
        labels=round(1 + plausible),
        right=right,
        diagnostics={"plausible_wrong_answers": plausible, "log_evidence": fit.verdict.log_evidence, **diagnostics},
        state=state,
    )


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else 0.0
