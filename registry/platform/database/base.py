"""The declarative base: naming of constraints, identifiers and times; and SQLAlchemy for those who run no SQL."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, TypeAlias
from uuid import UUID

from sqlalchemy import BigInteger, DateTime, ForeignKey, MetaData, engine, exc, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext import asyncio
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from uuid_utils.compat import uuid7

NAMES = {
    "ix": "%(table_name)s_%(column_0_N_name)s_idx",
    "uq": "%(table_name)s_%(column_0_N_name)s_key",
    "ck": "%(table_name)s_%(constraint_name)s_check",
    "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
    "pk": "%(table_name)s_pkey",
}

AsyncSession: TypeAlias = asyncio.AsyncSession
Connection: TypeAlias = engine.Connection
DatabaseError: TypeAlias = exc.SQLAlchemyError

Json = dict[str, Any]
Created = Annotated[datetime, mapped_column(DateTime(timezone=True), server_default=func.now())]
# UUIDv7: made without a round trip, and sorted by creation, which is the order of lists.
Identifier = Annotated[UUID, mapped_column(primary_key=True, default=uuid7)]


class Base(DeclarativeBase):
    """The base class of all tables."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {Json: JSONB, datetime: DateTime(timezone=True)}  # noqa: RUF012  (SQLAlchemy defines it so)


class CorpusRow(Base):
    """The base class of tables whose rows belong to a corpus and have identifiers of their own."""

    __abstract__ = True
    noun: ClassVar[str]
    """The name of a row for people."""

    id: Mapped[Identifier]
    corpus_id: Mapped[UUID] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"))


class Updated:
    """Mixin of rows with the times of their creation and last change."""

    created_at: Mapped[Created]
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class Quotas:
    """Mixin of rows that limit questions from midnight to midnight UTC, and what is stored; null is no limit."""

    daily_questions: Mapped[int | None] = mapped_column(BigInteger)
    max_documents: Mapped[int | None] = mapped_column(BigInteger)
    max_stored_bytes: Mapped[int | None] = mapped_column(BigInteger)
