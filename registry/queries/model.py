"""Queries, the history of their gold answers, and answers that people joined."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, select, text, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import Base, CorpusRow, Created, Identifier, Json, Updated
from registry.platform.enums import QueryOrigin


class Query(Updated, CorpusRow):
    """An unlabelled question used to estimate reliability; gold answers, if any, are for estimations that do not
    leave them to audits."""

    __tablename__ = "queries"
    noun = "query"
    __table_args__ = (
        UniqueConstraint("corpus_id", "external_id"),
        Index(None, "corpus_id", "id"),
        Index("queries_words_idx", text("to_tsvector('simple', text)"), postgresql_using="gin"),
        Index("queries_text_idx", "text", postgresql_using="hash"),
        CheckConstraint("answers IN ('one', 'several', 'number')", name="answers"),
    )

    external_id: Mapped[str]
    text: Mapped[str]
    gold_answers: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    topic: Mapped[str | None]
    attributes: Mapped[Json] = mapped_column(default=dict)
    # What is right of imported answers to it; null: as its corpus says.
    answers: Mapped[str | None]
    active: Mapped[bool] = mapped_column(default=True, server_default=true())
    origin: Mapped[str] = mapped_column(default=QueryOrigin.GIVEN, server_default=QueryOrigin.GIVEN)
    # Of a generated query the document and the sentence that it was written from, and of an asked one the answer.
    provenance: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))
    # Of the stated values that it was made of; null for a query that was sent.
    subject_key: Mapped[str | None]
    relation: Mapped[str | None]


class GoldEntry(Base):
    """A change of the gold answers of a query; kept as it is, save that it is marked once it is undone."""

    __tablename__ = "gold_entries"
    __table_args__ = (Index(None, "query_id", "id"),)

    id: Mapped[Identifier]
    query_id: Mapped[UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    # Null where there were none, or are none.
    answers_before: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    answers_after: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    # As in the audit log: `key`, `browser`, `anonymous`, `cli` or `job`.
    actor: Mapped[str]
    created_by: Mapped[str]
    # Of the API key, which may undo it; no foreign key, so that this outlives it.
    key_id: Mapped[UUID | None]
    created_at: Mapped[Created]
    undone_at: Mapped[datetime | None]


class JoinedAnswers(CorpusRow):
    """Wordings that a person found to be one answer to a question, whether or not that is a query.

    The row stays when the join is undone, so that no run takes votes of the question over from an earlier one.
    """

    __tablename__ = "joined_answers"
    noun = "join"
    __table_args__ = (
        Index(None, "corpus_id", "id"),
        Index("joined_answers_question_idx", "question", postgresql_using="hash"),
    )

    question: Mapped[str]
    answers: Mapped[list[str]] = mapped_column(JSONB)
    # As in the audit log: `key`, `browser`, `anonymous`, `cli` or `job`.
    actor: Mapped[str]
    created_by: Mapped[str]
    # As of a gold entry.
    key_id: Mapped[UUID | None]
    created_at: Mapped[Created]
    undone_at: Mapped[datetime | None]


HOLDING_JOINS = (
    select(JoinedAnswers.question, JoinedAnswers.answers)
    .where(JoinedAnswers.undone_at.is_(None))
    .order_by(JoinedAnswers.id)
)
"""The joins that nobody undid, for `Joins.by_question`."""
