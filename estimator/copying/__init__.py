"""Copy detection: sources that copy each other count once. README.md beside this file has the idea and a map."""

from estimator.copying.collapse import collapse
from estimator.copying.detection import CopyDetection, find_copies
from estimator.copying.prior_evidence import PriorEvidence
from estimator.copying.search import CopyRules
from estimator.result import CopyGroup, CopyLink

__all__ = [
    "CopyDetection",
    "CopyGroup",
    "CopyLink",
    "CopyRules",
    "PriorEvidence",
    "collapse",
    "find_copies",
]
