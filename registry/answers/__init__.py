"""Questions answered: context, selection, readings, vote, debate, conflict score, stored result."""

from registry.answers.service import JOB, ask, run, start

__all__ = ["JOB", "ask", "run", "start"]
