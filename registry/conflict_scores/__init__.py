"""ConflictScore of any response, against documents that are sent or retrieved."""

from registry.conflict_scores.service import Asked, Scored, score

__all__ = ["Asked", "Scored", "score"]
