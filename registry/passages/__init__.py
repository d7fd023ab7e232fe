"""Search: the best passages of each of many sources, and the sources in which a search over a corpus finds one."""

from registry.passages.candidates import candidate_sources
from registry.passages.mentions import unknown_names
from registry.passages.restriction import ALL_PASSAGES, PassageFilter, Vector
from registry.passages.search import top_passages

__all__ = [
    "ALL_PASSAGES",
    "PassageFilter",
    "Vector",
    "candidate_sources",
    "top_passages",
    "unknown_names",
]
