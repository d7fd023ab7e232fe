"""Separate runs: what an estimate says if a fifth of the queries is left out by turns.

An answer that changes when other queries are gone rests on few votes. Where most answers change, two opposite pictures
explain the votes about as well, such as a minority that lies together and an honest majority that errs apart, and the
queries that happen to be there choose one of them. The likelihood of one fit does not show that, and neither do samples
that stay around it.
"""

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from estimator.arrays.types import read_only
from estimator.result import Estimate
from estimator.votes import VoteMatrix

RUNS: Final = 5
MOST_VOTES: Final = 300_000
"""Of more no separate runs are made: they take five times as long as the estimate."""
FEWEST_QUERIES: Final = 20
"""With two votes or more; of fewer a fifth is a few."""

Refit = Callable[[VoteMatrix], Estimate]


def with_separate_runs(votes: VoteMatrix, estimate: Estimate, refit: Refit) -> Estimate:
    """The estimate with the share of the separate runs that turn each answer, and with `turned` among its diagnostics:
    the share of the queries with two votes or more whose answer any of them turns. `refit` estimates a part of the
    votes, from scratch.
    """
    contested = np.bincount(votes.class_query, np.diff(votes.class_start), votes.query_count) > 1
    if votes.vote_count > MOST_VOTES or np.count_nonzero(contested) < FEWEST_QUERIES:
        return estimate
    run = np.random.default_rng(0).permutation(votes.query_count) % RUNS
    turned = np.zeros(votes.query_count)
    for left_out in range(RUNS):
        kept = run != left_out
        turned += kept & (refit(votes.of_queries(kept)[0]).answer != estimate.answer)
    diagnostics = dict(estimate.diagnostics) | {"turned": float(np.mean(turned[contested] > 0))}
    return replace(estimate, turned=read_only(turned / (RUNS - 1)), diagnostics=MappingProxyType(diagnostics))
