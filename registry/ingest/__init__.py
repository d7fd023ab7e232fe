"""Ingest: documents are extracted, chunked, embedded, and written with their passages."""

from registry.ingest.imports import import_documents, import_documents_of_sources, import_queries, import_ratings
from registry.ingest.service import ingest

__all__ = ["import_documents", "import_documents_of_sources", "import_queries", "import_ratings", "ingest"]
