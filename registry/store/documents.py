"""Documents in the database; `registry.ingest` writes them."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import Field
from sqlalchemy import delete as delete_rows
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from registry.database.paging import Page, paginate
from registry.errors import NotFound
from registry.inputs.texts import Attributes, ExternalId, Input, Moment, NotBlank, Storable, Title, Url
from registry.models import Corpus, Document, Passage
from registry.store import sources


class MediaType(StrEnum):
    """What a document's content is written in."""

    TEXT = "text/plain"
    MARKDOWN = "text/markdown"
    HTML = "text/html"


class DocumentInput(Input):
    """A document as a source published it."""

    content: Annotated[str, Field(min_length=1), Storable, NotBlank]
    """The whole text; of HTML the main text is taken."""
    external_id: ExternalId | None = None
    """Yours, unique in the source: sending it again replaces the document. Without one it gets its own id."""
    title: Title = ""
    """For citations."""
    url: Url | None = None
    """Where it stands."""
    media_type: MediaType = MediaType.TEXT
    """How the content is to be read."""
    published_at: Moment | None = None
    """When it was published, with its offset from UTC."""
    attributes: Attributes = Field(default_factory=dict)
    """Anything else, as JSON."""


async def get(session: AsyncSession, corpus: Corpus, source_id: UUID, document_id: UUID) -> Document:
    """One document of a source; raises `NotFound`."""
    await sources.get(session, corpus, source_id)
    document = await session.get(Document, document_id)
    if document is None or document.source_id != source_id:
        raise NotFound("document", document_id)
    return document


async def page(
    session: AsyncSession, corpus: Corpus, source_id: UUID, *, cursor: str | None, limit: int
) -> Page[Document]:
    """The documents of a source, oldest first, without their content: a page of long ones would fill the memory."""
    await sources.get(session, corpus, source_id)
    rows = select(Document).where(Document.source_id == source_id).options(defer(Document.content, raiseload=True))
    return await paginate(session, rows, Document.id, cursor=cursor, limit=limit)


async def delete(session: AsyncSession, corpus: Corpus, source_id: UUID, document_id: UUID) -> None:
    """Delete a document and its passages."""
    document = await get(session, corpus, source_id, document_id)
    # Whoever replaces the document holds its row: their passages are seen, and deleted, once they are done.
    await session.refresh(document, ["id"], with_for_update=True)
    await session.execute(
        delete_rows(Passage).where(Passage.source_id == source_id, Passage.document_id == document_id)
    )
    await session.delete(document)
    await session.flush()
