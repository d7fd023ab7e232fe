"""Readings, cached."""

from uuid import UUID

from sqlalchemy import Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from registry.models.base import Base, Created


class CachedReading(Base):
    """What a reader answered to a question from the passages of one source, before alignment.

    The key is the content alone: equal passages are read once, whichever source published them. `answer` is null where
    the reader abstained. It is deleted with the corpus and the source that it was first made for; without a source,
    as of debates, with any source of the corpus.
    """

    __tablename__ = "readings"
    __table_args__ = (Index(None, "corpus_id", "source_id"),)

    reader: Mapped[str] = mapped_column(primary_key=True)
    prompt_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    passages_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    answer: Mapped[str | None]
    raw: Mapped[str]
    confidence: Mapped[float | None]
    reason: Mapped[str | None]
    """Why the reader abstained; null for answers."""
    # Of extractive readers: the answer is characters [start_offset, end_offset) of this passage.
    passage: Mapped[int | None]
    start_offset: Mapped[int | None]
    end_offset: Mapped[int | None]
    model_calls: Mapped[int]
    input_tokens: Mapped[int]
    output_tokens: Mapped[int]
    milliseconds: Mapped[float]
    created_at: Mapped[Created]
    corpus_id: Mapped[UUID | None]
    source_id: Mapped[UUID | None]
