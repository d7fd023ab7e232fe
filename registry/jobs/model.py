"""Jobs that were begun and have not come to an end."""

from uuid import UUID

from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import Base, Created


class BegunJob(Base):
    """The number of times a job was begun. The row is deleted when the job ends, unless its process ends first."""

    __tablename__ = "begun_jobs"

    name: Mapped[str] = mapped_column(primary_key=True)
    subject_id: Mapped[UUID] = mapped_column(primary_key=True)
    times: Mapped[int]
    created_at: Mapped[Created]
