"""Copy detection: sources that copy each other count once. README.md beside this file has the idea and a map."""

from estimator.copying.detection import CopyDetection, find_copies
from estimator.copying.groups import collapse
from estimator.copying.pairs import PriorEvidence

__all__ = [
    "CopyDetection",
    "PriorEvidence",
    "collapse",
    "find_copies",
]
