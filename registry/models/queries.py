"""Queries."""

from uuid import UUID

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from registry.enums import QueryOrigin
from registry.models.base import Base, Identifier, Json, Updated


class Query(Updated, Base):
    """An unlabelled question used to estimate reliability; gold answers, if any, are for estimations that do not
    leave them to audits."""

    __tablename__ = "queries"
    __table_args__ = (
        UniqueConstraint("corpus_id", "external_id"),
        Index(None, "corpus_id", "id"),
        Index("queries_words_idx", text("to_tsvector('simple', text)"), postgresql_using="gin"),
        Index("queries_stated_idx", "text", postgresql_using="hash", postgresql_where=text("relation IS NOT NULL")),
    )

    id: Mapped[Identifier]
    corpus_id: Mapped[UUID] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"))
    external_id: Mapped[str]
    text: Mapped[str]
    gold_answers: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    topic: Mapped[str | None]
    attributes: Mapped[Json] = mapped_column(default=dict)
    active: Mapped[bool] = mapped_column(default=True, server_default=true())
    origin: Mapped[str] = mapped_column(default=QueryOrigin.GIVEN, server_default=QueryOrigin.GIVEN)
    # Of a generated query the document and the sentence that it was written from, and of an asked one the answer.
    provenance: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))
    # Of the stated values that it was made of; null for a query that was sent.
    subject_key: Mapped[str | None]
    relation: Mapped[str | None]
