"""Corpora, and the questions asked of them."""

from datetime import date
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, text, true
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import Base, Identifier, Quotas, Updated
from registry.platform.enums import AnswerPolicy


class Corpus(Updated, Quotas, Base):
    """A namespace of sources that answer the same kind of question."""

    __tablename__ = "corpora"
    __table_args__ = (CheckConstraint("answers IN ('one', 'several', 'number')", name="answers"),)

    id: Mapped[Identifier]
    name: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str] = mapped_column(default="")
    text_search: Mapped[str] = mapped_column(default="english")
    use_gold: Mapped[bool] = mapped_column(default=True, server_default=true())
    generate_queries: Mapped[bool] = mapped_column(default=True, server_default=true())
    answers: Mapped[str] = mapped_column(default=AnswerPolicy.ONE, server_default=AnswerPolicy.ONE)
    asked_queries: Mapped[int] = mapped_column(default=200, server_default=text("200"))


class CorpusQuestions(Base):
    """The number of questions that a corpus with a limit was asked on one day (UTC)."""

    __tablename__ = "corpus_questions"

    corpus_id: Mapped[UUID] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    questions: Mapped[int] = mapped_column(BigInteger)
