"""The class-conditional model from a fit to belief."""

import numpy as np

from estimator import prior
from estimator.arrays.vote_table import Ballot
from estimator.intervals import beta_posterior
from estimator.methods.belief import Belief
from estimator.methods.dawid_skene import ConfusionFit
from estimator.methods.one_coin import log_odds
from estimator.policies import Method

INDISTINCT = 1e-4
"""Probabilities this close are equal but for where the iteration stopped."""


def believe(ballot: Ballot, fit: ConfusionFit) -> Belief:
    """Reliability is the share of right votes over all labels; its interval is that of a coin with this evidence."""
    inside = np.clip(fit.reliability, 1e-6, 1 - 1e-6)
    lower, upper = prior.beta_interval(*beta_posterior(ballot, fit.right, inside, fit.prior))
    labels = fit.share.shape[1]
    return Belief(
        method=Method.CONFUSION,
        reliability=fit.reliability,
        weight=log_odds(fit.reliability) + np.log(max(labels - 1, 1)),
        lower=lower,
        upper=upper,
        prior=fit.prior,
        rounds=fit.rounds,
        stop_reason=fit.stop_reason,
        labels=labels,
        right=fit.right,
        diagnostics={"closeness": fit.closeness, "log_evidence": fit.evidence},
    )
