"""The job that prepares a piece of an import; the importing process queues it, and does what is not done."""

from registry.ingest.pieces import JOB, prepare_piece
from registry.jobs.kind import JobKind

KIND = JobKind(
    job=JOB,
    summary="Prepares a piece of an import: the texts of some documents, their chunks and embeddings.",
    run=prepare_piece,
)
