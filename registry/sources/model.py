"""Sources, the reliabilities that operators set for them, and ratings of outside lists."""

from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, Text, UniqueConstraint
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import Base, CorpusRow, Created, Json, Updated
from registry.platform.enums import SourceStatus

_DAY_SECONDS: Final = 86_400


def registration_day(time: datetime) -> float:
    """Days since 1970: sources that were registered on one are of one age, such as those of an import."""
    return time.timestamp() // _DAY_SECONDS


class Source(Updated, CorpusRow):
    """A publisher whose documents share one reliability."""

    __tablename__ = "sources"
    noun = "source"
    __table_args__ = (
        UniqueConstraint("corpus_id", "external_id"),
        Index(None, "corpus_id", "id"),
        Index(None, "corpus_id", "name"),
        CheckConstraint("status IN ('active', 'paused', 'retired')", name="status"),
    )

    external_id: Mapped[str]
    name: Mapped[str]
    url: Mapped[str | None]
    description: Mapped[str] = mapped_column(default="")
    attributes: Mapped[Json] = mapped_column(default=dict)
    status: Mapped[str] = mapped_column(default=SourceStatus.ACTIVE)
    # Who may see its documents that name no groups; null is everybody who may read the corpus.
    allowed_groups: Mapped[list[str] | None] = mapped_column(ARRAY(Text))


class Rating(Base):
    """The rating of a source in an outside list: a prior mean that counts as `strength` votes in every estimation."""

    __tablename__ = "ratings"
    __table_args__ = (
        CheckConstraint("rating BETWEEN 0 AND 1", name="rating"),
        CheckConstraint("strength > 0", name="strength"),
    )

    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    rating: Mapped[float]
    strength: Mapped[float]
    origin: Mapped[str]
    created_by: Mapped[str]
    created_at: Mapped[Created]


class Override(Base):
    """A reliability that an operator set for a source; it counts instead of the estimate."""

    __tablename__ = "overrides"
    __table_args__ = (CheckConstraint("reliability BETWEEN 0 AND 1", name="reliability"),)

    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    reliability: Mapped[float]
    reason: Mapped[str]
    created_by: Mapped[str]
    created_at: Mapped[Created]
