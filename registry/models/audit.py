"""Who changed what."""

from uuid import UUID

from sqlalchemy import Index
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from registry.models.base import Base, Created, Identifier, Json


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
