"""Former revisions of documents, what each changed, and the one that an answer quotes."""

from collections.abc import Collection
from itertools import compress
from uuid import UUID

from sqlalchemy import ScalarSelect, Text, cast, delete, func, null, select, union_all
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from registry.documents.model import Document, DocumentRevision
from registry.documents.schemas import RevisionInList
from registry.platform.errors import RevisionNotKept
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_revisions

# What may differ between revisions.
FIELDS = ("title", "url", "media_type", "content", "published_at", "attributes", "allowed_groups")
NAMES = ("document_id", "revision", "stored_at", *FIELDS)
_CURRENT = select(
    Document.id.label("document_id"),
    Document.revision,
    Document.updated_at.label("stored_at"),
    *(Document.__table__.columns[name] for name in FIELDS),
)


async def keep_former(session: AsyncSession, document_ids: Collection[UUID], kept: int) -> None:
    """Keep these documents, whose rows this transaction has locked and is about to replace, as former revisions.

    Of each document at most `kept` stay.
    """
    if kept:
        former = _CURRENT.where(Document.id.in_(document_ids))
        await session.execute(insert(DocumentRevision).from_select(NAMES, former))
    await session.execute(
        delete(DocumentRevision).where(
            DocumentRevision.document_id.in_(document_ids),
            DocumentRevision.document_id == Document.id,
            DocumentRevision.revision <= Document.revision - kept,
        )
    )


def kept_size() -> ScalarSelect[int]:
    """Bytes of the texts of the former revisions of a document that is written; empty attributes count nothing."""
    row = DocumentRevision
    sizes = (func.octet_length(text) for text in (row.content, row.title, cast(row.attributes, Text)))
    size = select(func.coalesce(func.sum(sum(sizes) - len("{}")), 0))
    return size.where(DocumentRevision.document_id == Document.id).correlate(Document).scalar_subquery()


async def history(session: AsyncSession, document: Document, viewer: Viewer = ALL_SEEING) -> list[RevisionInList]:
    """The revisions of a document that the viewer sees, the oldest first, the last one being the document itself."""
    columns = DocumentRevision.__table__.columns
    former = select(*(columns[name] for name in NAMES), columns["replaced_at"])
    former = former.where(DocumentRevision.document_id == document.id, *visible_revisions(viewer))
    current = _CURRENT.add_columns(null()).where(Document.id == document.id)
    rows = union_all(former, current).subquery().c
    differs = (
        rows[name].is_distinct_from(func.lag(rows[name]).over(order_by=rows.revision)).label(f"{name}_differs")
        for name in FIELDS
    )
    shown = select(rows.revision, rows.title, rows.published_at, rows.stored_at, rows.replaced_at, *differs)
    found = (await session.execute(shown.order_by(rows.revision))).all()
    return [
        RevisionInList(
            revision=row.revision,
            title=row.title,
            published_at=row.published_at,
            stored_at=row.stored_at,
            replaced_at=row.replaced_at,
            changed=None if row is found[0] else tuple(compress(FIELDS, row[-len(FIELDS) :])),
        )
        for row in found
    ]


async def get(
    session: AsyncSession, document: Document, revision: int, viewer: Viewer = ALL_SEEING
) -> DocumentRevision:
    """A former revision of a document, or the document as the current one; raises `RevisionNotKept`."""
    if revision == document.revision:
        fields = {name: getattr(document, name) for name in FIELDS}
        return DocumentRevision(
            document_id=document.id, revision=revision, stored_at=document.updated_at, replaced_at=None, **fields
        )
    rows = select(DocumentRevision).where(DocumentRevision.document_id == document.id, *visible_revisions(viewer))
    former: DocumentRevision | None = await session.scalar(rows.where(DocumentRevision.revision == revision))
    if former is None:
        raise RevisionNotKept(revision, document.revision)
    return former
