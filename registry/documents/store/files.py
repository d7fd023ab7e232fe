"""Documents that were sent as files, by their paths, with the checksum by which whoever sends them tells a change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.documents.model import Document
from registry.sources.model import Source
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_documents

CHECKSUM, SIZE = "file_hash", "file_size"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file; its path is the external id of the document."""

    id: UUID
    path: str
    checksum: str
    size: int
    created_at: datetime
    updated_at: datetime


async def files_of(
    session: AsyncSession, source: Source, viewer: Viewer = ALL_SEEING, *, only: UUID | None = None
) -> Sequence[StoredFile]:
    """The files of a source, or one of them, oldest first; documents that came otherwise are none."""
    attributes = Document.attributes
    rows = select(
        Document.id,
        Document.external_id,
        attributes[CHECKSUM].as_string(),
        attributes[SIZE].as_integer(),
        Document.created_at,
        Document.updated_at,
    ).where(Document.source_id == source.id, attributes.has_key(CHECKSUM), *visible_documents(viewer))
    if only is not None:
        rows = rows.where(Document.id == only)
    return [StoredFile(*row) for row in await session.execute(rows.order_by(Document.id))]
