"""The job that reads a piece of an estimation; the job of the estimation queues it, again where it was lost."""

from registry import estimation
from registry.jobs.kind import JobKind

KIND = JobKind(
    job=estimation.READ_JOB,
    summary="Reads a few queries of an estimation, with all their sources.",
    run=estimation.read,
)
