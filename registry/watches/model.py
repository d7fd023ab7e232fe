"""Watches of corpora and of single sources."""

from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import CorpusRow, Created


class Watch(CorpusRow):
    """A feed, for whoever has its token, which is stored as a SHA-256."""

    __tablename__ = "watches"
    noun = "watch"
    __table_args__ = (Index(None, "corpus_id", "id"), Index(None, "source_id"))

    # The only source that it tells of; null is all.
    source_id: Mapped[UUID | None] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    # Of the API key that made it, with which it ends; no foreign key, so that it is seen who made it.
    key_id: Mapped[UUID | None]
    created_by: Mapped[str]
    created_at: Mapped[Created]
