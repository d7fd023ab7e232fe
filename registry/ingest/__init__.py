"""Ingest: documents are extracted, chunked, embedded, and written with their passages."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from registry.ingest.imports import import_documents, import_documents_of_sources, import_queries, import_ratings
    from registry.ingest.service import ingest

__all__ = ["import_documents", "import_documents_of_sources", "import_queries", "import_ratings", "ingest"]


def __getattr__(name: str) -> object:
    """Import what is used: the processes that take the text of documents need none of it, and half of the memory."""
    if name not in __all__:
        raise AttributeError(name)
    from registry.ingest import imports, service  # noqa: PLC0415

    return getattr(service if name == "ingest" else imports, name)
