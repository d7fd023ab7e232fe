"""Jobs that were begun and have not come to an end."""

from uuid import UUID

from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import Base, Created


class BegunJob(Base):
    """How often a job was begun; the row is deleted when it comes to an end, which nobody does whose process ended."""

    __tablename__ = "begun_jobs"

    name: Mapped[str] = mapped_column(primary_key=True)
    subject_id: Mapped[UUID] = mapped_column(primary_key=True)
    times: Mapped[int]
    created_at: Mapped[Created]
