"""Generations of queries, and how far each document was searched for facts to ask."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from registry.estimations.model import ACTIVE
from registry.platform.database.base import Base, CorpusRow, Created, Json
from registry.platform.enums import RunStatus


class QueryGeneration(CorpusRow):
    """One search of a corpus for facts that several sources state, and what came of it."""

    __tablename__ = "query_generations"
    noun = "generation of queries"
    __table_args__ = (
        Index(None, "corpus_id", "id"),
        # At most one of a corpus is queued or running.
        Index("query_generations_one_active_key", "corpus_id", unique=True, postgresql_where=text(ACTIVE)),
        CheckConstraint("status IN ('queued', 'running', 'succeeded', 'failed')", name="status"),
    )

    schedule_id: Mapped[UUID | None]
    status: Mapped[str] = mapped_column(default=RunStatus.QUEUED)
    parameters: Mapped[Json] = mapped_column(default=dict)
    # Counted while it goes on.
    report: Mapped[Json] = mapped_column(default=dict)
    problem: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))
    created_at: Mapped[Created]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class SearchedDocument(Base):
    """Number of facts of a document that were tried as queries; the next generation continues after them."""

    __tablename__ = "searched_documents"

    document_id: Mapped[UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    # Of the content that was searched: a document that changed is searched again.
    content_hash: Mapped[bytes] = mapped_column(LargeBinary)
    tried: Mapped[int]
    exhausted: Mapped[bool]
