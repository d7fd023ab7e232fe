"""Ingest: documents are extracted, chunked, embedded, and written with their passages."""
