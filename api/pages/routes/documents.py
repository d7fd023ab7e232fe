"""The documents of a source, and the text of one with the words that a vote or a quote rests on."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from api.http.dependencies import PageParameters, ReadAccess
from api.http.routes.documents import DocumentId, get_document, list_documents
from api.http.routes.sources import SourceReference, get_source
from api.pages.highlighting import marked_at, marked_words
from api.pages.rendering import page
from api.pages.visitors import page_router

router = page_router("/corpora/{corpus}/sources/{source_id}/documents")


@router.get("")
async def show_documents(
    request: Request, access: ReadAccess, source_id: SourceReference, paging: PageParameters
) -> Response:
    """What a source published."""
    source = await get_source(access, source_id)
    documents = await list_documents(access, source_id, paging)
    return page(request, "sources/documents.html", corpus=access.corpus_name, source=source, documents=documents)


@router.get("/{document_id}")
async def show_document(
    request: Request,
    access: ReadAccess,
    source_id: SourceReference,
    document_id: DocumentId,
    words: Annotated[str, Query(max_length=2000)] = "",
    start: Annotated[int, Query(ge=0)] = 0,
    end: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """The text of a document, marked from `start` to `end`, or wherever the words stand."""
    source = await get_source(access, source_id)
    document = await get_document(access, source_id, document_id)
    parts = marked_at(document.content, start, end) if end > start else marked_words(document.content, words)
    return page(
        request, "sources/document.html", corpus=access.corpus_name, source=source, document=document, parts=parts
    )
