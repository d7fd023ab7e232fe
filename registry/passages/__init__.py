"""Search: the best passages of each of many sources, and the sources in which a search over a corpus finds one."""

from registry.passages.store.search import ALL_PASSAGES, PassageFilter, Vector, candidate_sources, top_passages
from registry.passages.store.words import unknown_names

__all__ = ["ALL_PASSAGES", "PassageFilter", "Vector", "candidate_sources", "top_passages", "unknown_names"]
