"""Progress of estimations and answers."""

from uuid import UUID

from sqlalchemy import BigInteger, Identity, Index
from sqlalchemy.orm import Mapped, mapped_column

from registry.models.base import Base, Created, Json


class Event(Base):
    """A step of an estimation or an answer. Clients that follow it resume after the last id they have seen."""

    __tablename__ = "events"
    __table_args__ = (Index(None, "subject_id", "id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    subject_id: Mapped[UUID]
    kind: Mapped[str]
    data: Mapped[Json]
    created_at: Mapped[Created]
