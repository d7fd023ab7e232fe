"""ConflictScore: how far a response states as settled what its documents dispute (claims, labels, CS-C, CS-R)."""

from answering.conflict.claims import Claim, Split, Splitter
from answering.conflict.documents import Document, Part
from answering.conflict.evidence import ClaimEvidence, ConflictScore, Finding
from answering.conflict.model_claims import ModelSplitter
from answering.conflict.regeneration import Regenerated, regenerate
from answering.conflict.rules import RuleSplitter, rule_claims
from answering.conflict.score import Scores, Sides, Uncovered, conflict_scores
from answering.conflict.scoring import Grounds, score_claims, score_response

__all__ = [
    "Claim",
    "ClaimEvidence",
    "ConflictScore",
    "Document",
    "Finding",
    "Grounds",
    "ModelSplitter",
    "Part",
    "Regenerated",
    "RuleSplitter",
    "Scores",
    "Sides",
    "Split",
    "Splitter",
    "Uncovered",
    "conflict_scores",
    "regenerate",
    "rule_claims",
    "score_claims",
    "score_response",
]
