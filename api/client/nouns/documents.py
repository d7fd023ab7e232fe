"""Documents, and the search for passages of them."""

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from api.client.call import DEFAULT, Call, Nothing, of_corpus
from api.http.schemas.documents import DocumentList, DocumentView, IngestView, RevisionList, RevisionView
from api.http.schemas.search import SearchResult
from api.http.schemas.streams import LineView
from registry.documents.schemas import DocumentInput, DocumentLine
from registry.search.schemas import SearchInput


def list_documents(source: str, *, reference: str | None = None, corpus: str = DEFAULT) -> Call[DocumentList]:
    """The documents of a source, without their text; only the one with the external id or id `reference`, if given."""
    path = "/sources/{source_id}/documents"
    return of_corpus("GET", path, DocumentList, corpus, query={"reference": reference}, source_id=source)


def get_document(source: str, document_id: UUID, *, corpus: str = DEFAULT) -> Call[DocumentView]:
    """A document with its text."""
    path = "/sources/{source_id}/documents/{document_id}"
    return of_corpus("GET", path, DocumentView, corpus, source_id=source, document_id=document_id)


def list_revisions(document_id: UUID, *, corpus: str = DEFAULT) -> Call[RevisionList]:
    """The revisions of a document that are kept, the current one last, and what each changed."""
    return of_corpus("GET", "/documents/{document_id}/revisions", RevisionList, corpus, document_id=document_id)


def get_revision(document_id: UUID, revision: int, *, corpus: str = DEFAULT) -> Call[RevisionView]:
    """A revision of a document with its text."""
    path = "/documents/{document_id}/revisions/{revision}"
    return of_corpus("GET", path, RevisionView, corpus, document_id=document_id, revision=revision)


def send_document(source: str, document: DocumentInput, *, corpus: str = DEFAULT) -> Call[IngestView]:
    """Send a document of a source; it replaces the one with its external id."""
    return of_corpus("POST", "/sources/{source_id}/documents", IngestView, corpus, document, source_id=source)


def send_documents(
    documents: Iterable[DocumentLine], *, stated_values: str = "", contradictions: int = 0, corpus: str = DEFAULT
) -> Call[LineView]:
    """Send documents of many sources; for `Client.import_lines`. With `stated_values` lines are rows of a table."""
    query = {"stated_values": stated_values or None, "contradictions": contradictions or None}
    return replace(of_corpus("POST", "/documents:import", LineView, corpus, query=query), lines=documents)


def send_documents_of(
    source: str,
    documents: Iterable[DocumentInput],
    *,
    stated_values: str = "",
    contradictions: int = 0,
    corpus: str = DEFAULT,
) -> Call[LineView]:
    """Send documents of one source; for `Client.import_lines`. With `stated_values` lines are rows of a table."""
    path = "/sources/{source_id}/documents:import"
    query = {"stated_values": stated_values or None, "contradictions": contradictions or None}
    return replace(of_corpus("POST", path, LineView, corpus, query=query, source_id=source), lines=documents)


def delete_document(source: str, document_id: UUID, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Delete a document."""
    path = "/sources/{source_id}/documents/{document_id}"
    return of_corpus("DELETE", path, Nothing, corpus, source_id=source, document_id=document_id)


def search(values: SearchInput, *, corpus: str = DEFAULT) -> Call[SearchResult]:
    """The best passages over all sources."""
    return of_corpus("POST", "/search", SearchResult, corpus, values)
