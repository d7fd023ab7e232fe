"""Changes of the gold answers of queries."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from registry.models.base import Base, Created, Identifier


class GoldEntry(Base):
    """A change of the gold answers of a query; kept as it is, save that it is marked once it is undone."""

    __tablename__ = "gold_entries"
    __table_args__ = (Index(None, "query_id", "id"),)

    id: Mapped[Identifier]
    query_id: Mapped[UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    # Null where there were none, or are none.
    answers_before: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    answers_after: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    # As in the audit log: `key`, `browser`, `anonymous`, `cli` or `job`.
    actor: Mapped[str]
    created_by: Mapped[str]
    created_at: Mapped[Created]
    undone_at: Mapped[datetime | None]
