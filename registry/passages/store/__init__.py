"""All SQL on passages: the best ones of each of many sources, the sources in which a search over a corpus finds one,
the values that they state, how they are written.
"""

from registry.passages.store.search import (
    ALL_PASSAGES,
    PassageFilter,
    Vector,
    candidate_sources,
    top_passages,
    within_period,
)
from registry.passages.store.words import names_apart, unknown_names

__all__ = [
    "ALL_PASSAGES",
    "PassageFilter",
    "Vector",
    "candidate_sources",
    "names_apart",
    "top_passages",
    "unknown_names",
    "within_period",
]
