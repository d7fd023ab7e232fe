"""Corpora and their sources."""

from enum import StrEnum
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from registry.models.base import Base, Created, Identifier, Json, Updated


class SourceStatus(StrEnum):
    """`active` sources are read; `paused` ones wait; `retired` ones stay only for the record."""

    ACTIVE = "active"
    PAUSED = "paused"
    RETIRED = "retired"


class Corpus(Updated, Base):
    """A namespace of sources that answer the same kind of question."""

    __tablename__ = "corpora"

    id: Mapped[Identifier]
    name: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str] = mapped_column(default="")
    text_search: Mapped[str] = mapped_column(default="english")


class Source(Updated, Base):
    """A publisher whose documents share one reliability."""

    __tablename__ = "sources"
    __table_args__ = (
        UniqueConstraint("corpus_id", "external_id"),
        Index(None, "corpus_id", "id"),
        CheckConstraint("status IN ('active', 'paused', 'retired')", name="status"),
    )

    id: Mapped[Identifier]
    corpus_id: Mapped[UUID] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"))
    external_id: Mapped[str]
    name: Mapped[str]
    url: Mapped[str | None]
    description: Mapped[str] = mapped_column(default="")
    attributes: Mapped[Json] = mapped_column(default=dict)
    status: Mapped[str] = mapped_column(default=SourceStatus.ACTIVE)


class Override(Base):
    """An operator's reliability for one source, which no run overwrites."""

    __tablename__ = "overrides"
    __table_args__ = (CheckConstraint("reliability BETWEEN 0 AND 1", name="reliability"),)

    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    reliability: Mapped[float]
    reason: Mapped[str]
    created_by: Mapped[str]
    created_at: Mapped[Created]
