"""Estimates that are cheap, as in tests of the registry."""

from tests.registry.conftest import few_chains

__all__ = ["few_chains"]
