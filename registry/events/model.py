"""Progress of long work, and the audit log."""

from uuid import UUID

from sqlalchemy import BigInteger, Identity, Index
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import Base, Created, Identifier, Json


class Event(Base):
    """A step of an estimation or an answer. Clients that follow it resume after the last id they have seen."""

    __tablename__ = "events"
    __table_args__ = (Index(None, "subject_id", "id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    subject_id: Mapped[UUID]
    kind: Mapped[str]
    data: Mapped[Json]
    created_at: Mapped[Created]


class AuditEvent(Base):
    """A change, written in its transaction. It has no foreign keys, so that it outlives what it is about."""

    __tablename__ = "audit_events"
    __table_args__ = (Index(None, "corpus_id", "id"), Index(None, "created_at"))

    id: Mapped[Identifier]
    created_at: Mapped[Created]
    # `key`, `browser`, `anonymous`, `cli` or `job`; with a key its id, and its name at the time.
    actor: Mapped[str]
    key_id: Mapped[UUID | None]
    key_name: Mapped[str | None]
    address: Mapped[str | None]
    request_id: Mapped[str | None]
    action: Mapped[str]
    corpus_id: Mapped[UUID | None]
    resource_id: Mapped[UUID]
    # Values that the change replaced and set; null where there were none.
    before: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))
    after: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))
