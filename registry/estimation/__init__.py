"""Estimation runs: votes collected, reliabilities estimated from them, the run stored. Stage 1 of RA-RAG."""

from registry.estimation.service import JOB, run, start

__all__ = ["JOB", "run", "start"]
