"""What running the service needs: schedules, progress events, API keys, idempotent requests."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Identity, Index, LargeBinary, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import Text

from registry.models.base import Base, Created, Identifier, Json, Updated


class Schedule(Updated, Base):
    """When to estimate a corpus again, as a cron expression in a time zone."""

    __tablename__ = "schedules"
    __table_args__ = (UniqueConstraint("corpus_id", "name"),)

    id: Mapped[Identifier]
    corpus_id: Mapped[UUID] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"))
    name: Mapped[str]
    cron: Mapped[str]
    timezone: Mapped[str] = mapped_column(default="UTC")
    enabled: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    parameters: Mapped[Json] = mapped_column(default=dict)


class Tick(Base):
    """A schedule's due time that was acted upon; the key makes a second action on it impossible."""

    __tablename__ = "schedule_ticks"

    schedule_id: Mapped[UUID] = mapped_column(ForeignKey("schedules.id", ondelete="CASCADE"), primary_key=True)
    due_at: Mapped[datetime] = mapped_column(primary_key=True)
    estimation_id: Mapped[UUID | None]
    skipped_because: Mapped[str | None]
    created_at: Mapped[Created]


class Event(Base):
    """A step of a run or an answer, for those who follow it; ids rise, so that a follower can resume."""

    __tablename__ = "events"
    __table_args__ = (Index(None, "subject_id", "id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    subject_id: Mapped[UUID]
    kind: Mapped[str]
    data: Mapped[Json]
    created_at: Mapped[Created]


class ApiKey(Base):
    """A key by the SHA-256 of its secret. Without a corpus it is an operator's key and opens all of them."""

    __tablename__ = "api_keys"
    __table_args__ = (Index(None, "corpus_id", "id"),)

    id: Mapped[Identifier]
    corpus_id: Mapped[UUID | None] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"))
    name: Mapped[str]
    prefix: Mapped[str]
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    created_at: Mapped[Created]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    # What it may spend on language models from midnight to midnight in UTC; null is no limit.
    daily_model_calls: Mapped[int | None] = mapped_column(BigInteger)
    daily_tokens: Mapped[int | None] = mapped_column(BigInteger)


class KeySpending(Base):
    """What a key with a limit has spent on one day."""

    __tablename__ = "key_spending"

    key_id: Mapped[UUID] = mapped_column(ForeignKey("api_keys.id", ondelete="CASCADE"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    model_calls: Mapped[int] = mapped_column(BigInteger, default=0, server_default=text("0"))
    tokens: Mapped[int] = mapped_column(BigInteger, default=0, server_default=text("0"))


class IdempotentRequest(Base):
    """The response once given to an Idempotency-Key; `response` is null while the first request is under way."""

    __tablename__ = "idempotent_requests"

    scope: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    request_hash: Mapped[bytes] = mapped_column(LargeBinary)
    status: Mapped[int | None]
    headers: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))
    response: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[Created]
