"""Readings, cached, and what people found of them."""

from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from answering.voting import SourceReading
from registry.platform.database.base import Base, Created
from registry.platform.digest import digest


class CachedReading(Base):
    """The answer of a reader to a question from the passages of one source, before alignment.

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
    """The reason why the reader abstained; null for answers."""
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


class MisreadingVerdict(Base):
    """The verdict on one reading, which holds as long as the same answer is read from the same passage."""

    __tablename__ = "misreading_verdicts"
    __table_args__ = (
        Index(None, "source_id"),
        CheckConstraint("verdict IN ('confirmed', 'rejected')", name="verdict"),
    )

    corpus_id: Mapped[UUID] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True)
    # See `reading_id`.
    reading_id: Mapped[UUID] = mapped_column(primary_key=True)
    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    question: Mapped[str]
    answer: Mapped[str]
    verdict: Mapped[str]
    created_by: Mapped[str]
    created_at: Mapped[Created]


def reading_id(question: str, reading: SourceReading) -> UUID | None:
    """The identity of a reading for verdicts: this answer to this question, read from this passage of its source.

    None where there is no answer.
    """
    passage = reading.read_from
    if reading.answer is None or passage is None:
        return None
    return UUID(bytes=digest(str(passage.source_id), question, reading.answer, passage.content)[:16])
