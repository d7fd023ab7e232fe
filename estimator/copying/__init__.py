"""Copy detection: sources that copy each other count once. The idea is in `search`."""

from estimator.copying.search import find_copies

__all__ = ["find_copies"]
