"""Connectors, what they have seen of the locations that they read, and the documents that came of it."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import Base, CorpusRow, Json, Updated


class Connector(Updated, CorpusRow):
    """Files or addresses that documents of a corpus come from, and the report of the last run."""

    __tablename__ = "connectors"
    noun = "connector"
    __table_args__ = (
        UniqueConstraint("corpus_id", "name"),
        Index(None, "corpus_id", "id"),
        CheckConstraint("status IN ('queued', 'running', 'succeeded', 'failed')", name="status"),
    )

    name: Mapped[str]
    kind: Mapped[str]
    config: Mapped[Json]
    schedule_id: Mapped[UUID | None] = mapped_column(ForeignKey("schedules.id", ondelete="SET NULL"))
    # The API key that made it, against whose quotas its documents count.
    key_id: Mapped[UUID | None]
    # Readings by which each run looks for contradictions of new documents; 0: it does not look.
    contradictions: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    # Null before the first run.
    status: Mapped[str | None]
    run: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    # How often the process ended that was at this run, and what it read then, which is noted from the second time on.
    interrupted: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    reading: Mapped[str | None]
    report: Mapped[Json | None]
    problem: Mapped[Json | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class ConnectorLocation(Base):
    """The stored state of a file or an address when a connector last read it."""

    __tablename__ = "connector_locations"

    connector_id: Mapped[UUID] = mapped_column(ForeignKey("connectors.id", ondelete="CASCADE"), primary_key=True)
    location: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[str | None]
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    content_hash: Mapped[bytes | None] = mapped_column(LargeBinary)
    # Whether this version, or content, is not read again: it is unreadable, or ended the process that read it.
    set_aside: Mapped[bool] = mapped_column(default=False, server_default=false())


class ConnectorDocument(Base):
    """A document that a connector found at a location, and the last run that found it."""

    __tablename__ = "connector_documents"
    __table_args__ = (Index(None, "connector_id", "location"), Index(None, "document_id"))

    connector_id: Mapped[UUID] = mapped_column(ForeignKey("connectors.id", ondelete="CASCADE"), primary_key=True)
    document_id: Mapped[UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    location: Mapped[str]
    run: Mapped[int]
