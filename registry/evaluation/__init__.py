"""A corpus evaluated on its queries with gold answers."""

from registry.evaluation.service import evaluate

__all__ = ["evaluate"]
