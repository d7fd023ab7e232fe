"""What people say of readings that look misread."""

from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from registry.models.base import Base, Created


class MisreadingVerdict(Base):
    """The verdict on one reading, which holds as long as the same answer is read from the same passage."""

    __tablename__ = "misreading_verdicts"
    __table_args__ = (
        Index(None, "source_id"),
        CheckConstraint("verdict IN ('confirmed', 'rejected')", name="verdict"),
    )

    corpus_id: Mapped[UUID] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True)
    # See `registry.estimation.reading.reading_id`.
    reading_id: Mapped[UUID] = mapped_column(primary_key=True)
    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    question: Mapped[str]
    answer: Mapped[str]
    verdict: Mapped[str]
    created_by: Mapped[str]
    created_at: Mapped[Created]
