"""All SQL on passages: the best ones of each of many sources, the sources in which a search over a corpus finds one,
the values that they state, how they are written.
"""

from registry.passages.store.search import (
    candidate_sources,
    documents_condition,
    documents_parameters,
    passage_filter,
    top_passages,
    within_period,
)
from registry.passages.store.words import names_apart, unknown_names

__all__ = [
    "candidate_sources",
    "documents_condition",
    "documents_parameters",
    "names_apart",
    "passage_filter",
    "top_passages",
    "unknown_names",
    "within_period",
]
