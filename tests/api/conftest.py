"""Estimates that are cheap, as in tests of the estimator."""

from tests.estimator.conftest import short_chains

__all__ = ["short_chains"]
