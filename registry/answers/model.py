"""Answers to questions, and the links that show them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import CorpusRow, Created, Json
from registry.platform.enums import RunStatus
from registry.viewers.model import Asker, Viewer


class AnswerRecord(CorpusRow):
    """A question and its answer; `result` is an `AnswerResult` as JSON.

    `key_id` is the API key that pays for language models. It is no foreign key, so that the answer outlives it.
    """

    __tablename__ = "answers"
    noun = "answer"
    __table_args__ = (
        Index(None, "corpus_id", "id"),
        CheckConstraint("status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')", name="status"),
    )

    key_id: Mapped[UUID | None]
    # The groups that it was asked for, whose documents it may be made of; null is all documents.
    viewer_groups: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    # The documents that were read for it, and the sources whose imported votes count; of a follow-up question those of
    # the answer before too. Null until it is known, and in answers made before it was kept.
    made_of: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid))
    question: Mapped[str]
    parameters: Mapped[Json] = mapped_column(default=dict)
    status: Mapped[str] = mapped_column(default=RunStatus.QUEUED)
    outcome: Mapped[str | None]
    estimation_id: Mapped[UUID | None]
    result: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))
    problem: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))
    # Of a follow-up question: the answer before it, which may be gone, and what was typed.
    follows_id: Mapped[UUID | None]
    typed: Mapped[str | None]
    created_at: Mapped[Created]
    finished_at: Mapped[datetime | None]

    @property
    def asker(self) -> Asker:
        """The caller who asked."""
        return Asker(Viewer.of(self.viewer_groups), self.key_id)

    @property
    def answers(self) -> list[str]:
        """The answers of the result; empty where there is none."""
        return (self.result or {}).get("answers") or []


class AnswerShare(CorpusRow):
    """A link that shows an answer to whoever has its token, which is stored as a SHA-256.

    It ends with the API key that it was made with; without one, as on loopback, by itself alone.
    """

    __tablename__ = "answer_shares"
    noun = "shared answer"
    __table_args__ = (Index(None, "corpus_id", "id"),)

    answer_id: Mapped[UUID] = mapped_column(ForeignKey("answers.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    key_id: Mapped[UUID | None]
    # As in the audit log: `key`, `browser`, `anonymous`, `cli` or `job`.
    actor: Mapped[str]
    created_by: Mapped[str]
    created_at: Mapped[Created]
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
