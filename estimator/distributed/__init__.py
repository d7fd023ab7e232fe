"""Estimates by votes in Parquet files, on this machine or, with Ray, on many. See README.md beside this file."""

from estimator.distributed.estimation import DISTRIBUTED_METHODS, MakeWorkers, SourceEstimates, estimate_files
from estimator.distributed.vote_files import write_votes
from estimator.distributed.workers import Progress, Stage

__all__ = [
    "DISTRIBUTED_METHODS",
    "MakeWorkers",
    "Progress",
    "SourceEstimates",
    "Stage",
    "estimate_files",
    "write_votes",
]
