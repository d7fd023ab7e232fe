"""Contradictions that were found when documents came in."""

from uuid import UUID

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import CorpusRow, Created


class DocumentContradiction(CorpusRow):
    """A statement of a document, and one of another source that was published before and contradicts it."""

    __tablename__ = "document_contradictions"
    noun = "contradiction"
    __table_args__ = (Index(None, "corpus_id", "id"), Index(None, "document_id"), Index(None, "other_document_id"))

    document_id: Mapped[UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    question: Mapped[str]
    answer: Mapped[str]
    quote: Mapped[str]
    other_document_id: Mapped[UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    other_source_id: Mapped[UUID]
    other_answer: Mapped[str]
    other_quote: Mapped[str]
    probability: Mapped[float]
    created_at: Mapped[Created]
