"""Queries written from documents: facts that several sources state, and a question that each of them answers."""

from registry.estimation.query_generation.service import JOB, run, run_now, start

__all__ = ["JOB", "run", "run_now", "start"]
