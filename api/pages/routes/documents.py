"""The documents of a source, and the text of one with the words that a vote or a quote rests on."""

from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field
from starlette.responses import Response

from api.http.dependencies import AdminAccess, PageParameters, ReadAccess
from api.http.routes.documents import (
    MAX_REVISION,
    DocumentId,
    delete_document,
    get_document,
    get_revision,
    list_documents,
    list_revisions,
)
from api.http.routes.sources import SourceReference, get_source
from api.http.schemas.documents import DocumentView, RevisionView
from api.pages.highlighting import Part, marked_at, marked_words
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry.estimations import store as estimations
from registry.platform.errors import RevisionNotKept
from registry.sources.store import estimates


class Place(BaseModel):
    """A place in a document: a revision, and the characters from `start` to `end`, or wherever the words stand."""

    words: str = Field("", max_length=2000)
    start: int = Field(0, ge=0)
    end: int = Field(0, ge=0)
    revision: int | None = Field(None, ge=1, le=MAX_REVISION)

    def marked(self, text: str) -> list[Part]:
        """The text with what is to be marked."""
        return marked_at(text, self.start, self.end) if self.end > self.start else marked_words(text, self.words)


router = page_router("/corpora/{corpus}/sources/{source_id}/documents")


@router.get("")
async def show_documents(
    request: Request, access: ReadAccess, source_id: SourceReference, paging: PageParameters
) -> Response:
    """The documents of a source."""
    source = await get_source(access, source_id)
    documents = await list_documents(access, source_id, paging)
    return page(request, "sources/documents.html", corpus=access.corpus_name, source=source, documents=documents)


@router.get("/{document_id}")
async def show_document(
    request: Request,
    access: ReadAccess,
    source_id: SourceReference,
    document_id: DocumentId,
    place: Annotated[Place, Query()],
) -> Response:
    """The text of a document or of a revision, and what it was read for; of a revision that is not kept it says so."""
    source = await get_source(access, source_id)
    document = await get_document(access, source_id, document_id)
    revisions = (await list_revisions(access, document_id)).items
    shown: DocumentView | RevisionView = document
    is_kept = True
    if place.revision is not None:
        try:
            shown = await get_revision(access, document_id, place.revision)
        except RevisionNotKept:
            is_kept = False
    async with access.at_source(source_id) as (session, corpus, found):
        run = await estimates.current_run(session, corpus)
        votes = await estimations.votes_of_source(session, run, found.id, access.viewer) if run else []
    return page(
        request,
        "sources/document.html",
        corpus=access.corpus_name,
        source=source,
        document=document,
        shown=shown,
        not_kept=None if is_kept else place.revision,
        revisions=revisions,
        run=run,
        uses=[vote for vote in votes if str(document_id) in map(str, vote.document_ids)],
        # Offsets in a revision that is not kept mean nothing in another one.
        parts=place.marked(shown.content) if is_kept else marked_words(shown.content, ""),
    )


@router.post("/{document_id}/delete")
async def remove_document(access: AdminAccess, source_id: SourceReference, document_id: DocumentId) -> Response:
    """Delete the document and lead back to the others."""
    await delete_document(access, source_id, document_id)
    return RedirectResponse(address("corpora", access.corpus_name, "sources", source_id, "documents"), 303)
