"""Separate runs: what an estimate says on a third of the queries, several times.

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

from estimator.arrays.types import Integers, read_only
from estimator.result import Estimate
from estimator.votes import VoteMatrix

RUNS: Final = 12
PARTS: Final = 3
"""Into which the queries are divided for one of them to be kept. Thirds show more of the worlds in which liars are
about to win than four fifths, halves and fifths do at about the same cost (benchmarks/notes/poisoning.md)."""
FEWEST_QUERIES: Final = 60
"""Fewest queries with two votes or more; with fewer nothing is said, and no run has fewer. Among five honest sources,
runs on 20, 30 and 40 of 64 queries raise the doubt in 3, 2 and 1 of six worlds, on 60 in none
(benchmarks/notes/poisoning.md)."""
CHAINS: Final = 12
"""Most chains of a run that samples: it is asked for answers and not for intervals."""
MOST_VOTES: Final = 300_000
"""Most votes with which separate runs are made: they take three to five times as long as the estimate."""

Refit = Callable[[VoteMatrix], Estimate]


def with_separate_runs(votes: VoteMatrix, estimate: Estimate, refit: Refit, gold: Integers | None = None) -> Estimate:
    """The estimate with the share of the separate runs that turn each answer, and with `turned` among its diagnostics:
    the largest share of its answers that one of them turns. `refit` estimates a part of the votes, from scratch; every
    part has the queries with a gold answer (M,), which is not -1.
    """
    contested = np.flatnonzero(np.bincount(votes.class_query, np.diff(votes.class_start), votes.query_count) > 1)
    if votes.vote_count > MOST_VOTES or contested.size < FEWEST_QUERIES:
        return estimate
    random, size = np.random.default_rng(0), max(contested.size // PARTS, FEWEST_QUERIES)
    runs, turned, largest = np.zeros(votes.query_count), np.zeros(votes.query_count), 0.0
    for _ in range(RUNS):
        kept = np.zeros(votes.query_count, dtype=np.bool_) if gold is None else gold >= 0
        kept[random.permutation(contested)[:size]] = True
        differs = kept & (refit(votes.of_queries(kept)[0]).answer != estimate.answer)
        runs, turned, largest = runs + kept, turned + differs, max(largest, np.count_nonzero(differs) / size)
    diagnostics = dict(estimate.diagnostics) | {"turned": largest}
    share = read_only(turned / np.maximum(runs, 1))
    return replace(estimate, turned=share, diagnostics=MappingProxyType(diagnostics))
