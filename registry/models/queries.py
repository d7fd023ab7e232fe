"""Queries, and the readings of a reader, kept so that nothing is read twice."""

from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary, UniqueConstraint, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from registry.models.base import Base, Created, Identifier, Json, Updated


class Query(Updated, Base):
    """An unlabelled question used to estimate reliability. Gold answers, if any, serve audits only."""

    __tablename__ = "queries"
    __table_args__ = (UniqueConstraint("corpus_id", "external_id"), Index(None, "corpus_id", "id"))

    id: Mapped[Identifier]
    corpus_id: Mapped[UUID] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"))
    external_id: Mapped[str]
    text: Mapped[str]
    gold_answers: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    attributes: Mapped[Json] = mapped_column(default=dict)
    active: Mapped[bool] = mapped_column(default=True, server_default=true())


class CachedReading(Base):
    """What a reader answered to a question from some passages, before alignment.

    Keyed by content alone: who published the passages does not matter to a reader, and the same text is never
    read twice. `answer` is null where the reader said that it does not know.
    """

    __tablename__ = "readings"

    reader: Mapped[str] = mapped_column(primary_key=True)
    prompt_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    passages_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    answer: Mapped[str | None]
    raw: Mapped[str]
    confidence: Mapped[float | None]
    # Where the answer was copied from, of readers that copy: characters [start, end) of one of the passages.
    passage: Mapped[int | None]
    start_offset: Mapped[int | None]
    end_offset: Mapped[int | None]
    model_calls: Mapped[int]
    input_tokens: Mapped[int]
    output_tokens: Mapped[int]
    milliseconds: Mapped[float]
    created_at: Mapped[Created]
