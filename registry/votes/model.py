"""Imported votes."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import CorpusRow, Updated


class ImportedVote(Updated, CorpusRow):
    """The imported answer of one source to one query; every run takes it in place of a reading."""

    __tablename__ = "imported_votes"
    noun = "vote"
    __table_args__ = (
        UniqueConstraint("query_id", "source_id"),
        Index(None, "corpus_id", "id"),
        Index(None, "source_id"),
        CheckConstraint("confidence BETWEEN 0 AND 1", name="confidence"),
    )

    # That of the query, which is deleted with it: a foreign key of its own would be checked for every vote.
    corpus_id: Mapped[UUID] = mapped_column()
    query_id: Mapped[UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    answer: Mapped[str]
    voted_at: Mapped[datetime | None]
    # The voter's own; it is kept and shown, and counts for nothing.
    confidence: Mapped[float | None]
    external_id: Mapped[str | None]
