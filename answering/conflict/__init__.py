"""ConflictScore: how far a response states as settled what its documents dispute (claims, labels, CS-C, CS-R)."""

from answering.conflict.claims import Claim, SplitResult, Splitter
from answering.conflict.documents import DocumentPart, GroundingDocument
from answering.conflict.evidence import ClaimEvidence, ConflictScore, DocumentStance
from answering.conflict.model_claims import ModelSplitter
from answering.conflict.regeneration import Regeneration, regenerate
from answering.conflict.rules import RuleSplitter, rule_claims
from answering.conflict.score import ClaimWeights, Scores, Uncovered, conflict_scores
from answering.conflict.scoring import ClaimDocuments, score_claims, score_response

__all__ = [
    "Claim",
    "ClaimDocuments",
    "ClaimEvidence",
    "ClaimWeights",
    "ConflictScore",
    "DocumentPart",
    "DocumentStance",
    "GroundingDocument",
    "ModelSplitter",
    "Regeneration",
    "RuleSplitter",
    "Scores",
    "SplitResult",
    "Splitter",
    "Uncovered",
    "conflict_scores",
    "regenerate",
    "rule_claims",
    "score_claims",
    "score_response",
]
