"""Estimates that are cheap, as in tests of the estimator."""

from tests.estimator.conftest import short_chains
from tests.registry.conftest import no_separate_runs

__all__ = ["no_separate_runs", "short_chains"]
