"""Copy detection: sources that copy each other count once. The idea is in `search`."""

from estimator.copying.groups import collapse
from estimator.copying.pairs import PriorEvidence
from estimator.copying.search import CopyDetection, find_copies

__all__ = [
    "CopyDetection",
    "PriorEvidence",
    "collapse",
    "find_copies",
]
