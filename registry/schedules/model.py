"""Schedules of estimations, and the due times that were acted upon."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import Base, CorpusRow, Created, Json, Updated


class Schedule(Updated, CorpusRow):
    """A schedule of estimations of a corpus: a cron expression and its time zone."""

    __tablename__ = "schedules"
    noun = "schedule"
    __table_args__ = (UniqueConstraint("corpus_id", "name"),)

    name: Mapped[str]
    cron: Mapped[str]
    timezone: Mapped[str] = mapped_column(default="UTC")
    enabled: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    parameters: Mapped[Json] = mapped_column(default=dict)


class Tick(Base):
    """A due time of a schedule that was acted upon; the primary key rules out a second run for it."""

    __tablename__ = "schedule_ticks"

    schedule_id: Mapped[UUID] = mapped_column(ForeignKey("schedules.id", ondelete="CASCADE"), primary_key=True)
    due_at: Mapped[datetime] = mapped_column(primary_key=True)
    estimation_id: Mapped[UUID | None]
    skipped_because: Mapped[str | None]
    created_at: Mapped[Created]
