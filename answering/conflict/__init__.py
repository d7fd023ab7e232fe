"""ConflictScore: how far a response states as settled what its grounding documents dispute."""

from answering.conflict.claims import Claim, ModelSplitter, RuleSplitter, rule_claims
from answering.conflict.evidence import ClaimWeights, ConflictScore, DocumentPart, GroundingDocument, conflict_scores
from answering.conflict.regeneration import regenerate
from answering.conflict.scoring import ClaimDocuments, score_claims, score_response

__all__ = [
    "Claim",
    "ClaimDocuments",
    "ClaimWeights",
    "ConflictScore",
    "DocumentPart",
    "GroundingDocument",
    "ModelSplitter",
    "RuleSplitter",
    "conflict_scores",
    "regenerate",
    "rule_claims",
    "score_claims",
    "score_response",
]
