"""ConflictScore of any response, against documents that are sent or retrieved."""

from registry.conflict_scores.service import ScoringRequest, ScoringResult, score

__all__ = ["ScoringRequest", "ScoringResult", "score"]
