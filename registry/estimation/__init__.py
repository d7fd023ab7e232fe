"""Estimation runs: votes collected, reliabilities estimated from them, the run stored. Stage 1 of RA-RAG."""

from registry.estimation import pieces
from registry.estimation.service import JOB, parameters_again, read, run, start

READ_JOB = pieces.JOB

__all__ = ["JOB", "READ_JOB", "parameters_again", "read", "run", "start"]
