"""Questions answered: context, selection, readings, vote, debate, conflict score, stored result."""

from registry.answers.service import ask, run, start

__all__ = ["ask", "run", "start"]
