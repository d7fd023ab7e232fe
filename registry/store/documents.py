"""Documents in the database; `registry.ingest` writes them."""

from uuid import UUID

from sqlalchemy import delete as delete_rows
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from registry.database.paging import Page, paginate
from registry.errors import NotFound
from registry.models import Corpus, Document, Passage
from registry.store import sources


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
