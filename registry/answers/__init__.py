"""Questions answered: context, selection, readings, vote, debate, conflict score, stored result."""

from registry.answers.calibration import stored_answer
from registry.answers.service import JOB, ask, run, start

__all__ = ["JOB", "ask", "run", "start", "stored_answer"]
