"""Values that documents state as data."""

from uuid import UUID

from sqlalchemy import ForeignKey, Index, PrimaryKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column

from registry.models.base import Base


class StatedValue(Base):
    """A value of a relation of a subject, as a document states it: its source's vote on the query about both."""

    __tablename__ = "stated_values"
    __table_args__ = (
        PrimaryKeyConstraint("document_id", "source_id", "ordinal"),
        Index("stated_values_about_idx", "corpus_id", "subject_key", "relation", "source_id"),
    )

    corpus_id: Mapped[UUID]
    source_id: Mapped[UUID]
    document_id: Mapped[UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    ordinal: Mapped[int]
    subject: Mapped[str]
    # What the names of one subject have in common, by which sources meet.
    subject_key: Mapped[str]
    relation: Mapped[str]
    value: Mapped[str]
