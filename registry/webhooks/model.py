"""Webhooks of corpora, and what was or is to be delivered to them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, CheckConstraint, ForeignKey, Index, String, text, true
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import Base, CorpusRow, Created, Identifier, Json, Updated

PENDING = "status = 'pending'"


class Webhook(Updated, CorpusRow):
    """An address that is told of events of a corpus."""

    __tablename__ = "webhooks"
    noun = "webhook"
    __table_args__ = (Index(None, "corpus_id", "id"),)

    url: Mapped[str]
    events: Mapped[list[str]] = mapped_column(ARRAY(String))
    # As it was shown: what is signed with it cannot be signed with a hash of it.
    secret: Mapped[str]
    enabled: Mapped[bool] = mapped_column(default=True, server_default=true())
    # Why the service switched it off; null while it is on, and where a person did.
    disabled_because: Mapped[str | None]
    # The first failure since the last success.
    failing_since: Mapped[datetime | None]


class WebhookDelivery(Base):
    """An event for one webhook, written with what happened and sent after it."""

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        Index(None, "webhook_id", "id"),
        Index("webhook_deliveries_pending_idx", "id", postgresql_where=text(PENDING)),
        CheckConstraint("status IN ('pending', 'succeeded', 'failed')", name="status"),
    )

    id: Mapped[Identifier]
    webhook_id: Mapped[UUID] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    type: Mapped[str]
    data: Mapped[Json]
    created_at: Mapped[Created]
    status: Mapped[str] = mapped_column(default="pending", server_default="pending")
    attempts: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    # Not before then; null once it is over.
    next_attempt_at: Mapped[datetime | None]
    # What the last attempt came to, where it failed.
    problem: Mapped[str | None]
    finished_at: Mapped[datetime | None]
