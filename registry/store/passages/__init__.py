"""Search: the best passages of each of many sources, and the sources in which a search over a corpus finds one."""

from registry.store.passages.candidates import (
    CandidateSearch,
    candidate_sources,
    candidate_sources_at_once,
    plan_candidates,
)
from registry.store.passages.restriction import ALL_PASSAGES, PassageFilter, Vector
from registry.store.passages.search import top_passages

__all__ = [
    "ALL_PASSAGES",
    "CandidateSearch",
    "PassageFilter",
    "Vector",
    "candidate_sources",
    "candidate_sources_at_once",
    "plan_candidates",
    "top_passages",
]
