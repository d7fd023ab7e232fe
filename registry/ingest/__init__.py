"""Documents in: extracted, chunked, embedded, and written with their passages in one transaction a batch."""

from registry.ingest.imports import import_documents
from registry.ingest.pipeline import IngestResult, ingest

__all__ = ["IngestResult", "import_documents", "ingest"]
