"""Documents, and the search for passages of them."""

from collections.abc import Iterable

from api.client.call import Call, Importing, Nothing, Operation, Sending, SendingTo
from api.http.schemas.documents import DocumentList, DocumentView, RevisionList, RevisionView
from api.http.schemas.search import SearchResult
from registry.documents.schemas import DocumentInput, DocumentLine, IngestResult, LineResult
from registry.search.schemas import SearchInput

list_documents = Operation("GET /sources/{source_id}/documents", DocumentList)
get_document = Operation("GET /sources/{source_id}/documents/{document_id}", DocumentView)
list_revisions = Operation("GET /documents/{document_id}/revisions", RevisionList)
get_revision = Operation("GET /documents/{document_id}/revisions/{revision}", RevisionView)
send_document = SendingTo("POST /sources/{source_id}/documents", IngestResult, DocumentInput)
delete_document = Operation("DELETE /sources/{source_id}/documents/{document_id}", Nothing)
search = Sending("POST /search", SearchResult, SearchInput)
send_documents = Importing("POST /documents:import", LineResult, DocumentLine)
_SEND_OF = Importing("POST /sources/{source_id}/documents:import", LineResult, DocumentInput)


def send_documents_of(
    source: str, documents: Iterable[DocumentInput] = (), *, corpus: str | None = None, **query: object
) -> Call[LineResult]:
    """Send documents of one source; for `Client.import_lines`. With `stated_values` lines are rows of a table."""
    return _SEND_OF(documents, source, corpus=corpus, **query)
