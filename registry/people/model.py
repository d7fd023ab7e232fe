"""People who sign in with a provider of identities."""

from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from registry.keys.model import ApiKey
from registry.people.schemas import role_of
from registry.platform.database.base import Base
from registry.platform.enums import Role


class Person(Base):
    """Somebody who signed in, or who is expected to. Their rights are those of an API key whose secret nobody knows."""

    __tablename__ = "people"
    __table_args__ = (
        UniqueConstraint("issuer", "subject"),
        Index("people_expected_idx", "email", unique=True, postgresql_where=text("subject IS NULL")),
        CheckConstraint("subject IS NOT NULL OR email IS NOT NULL", name="known"),
    )

    id: Mapped[UUID] = mapped_column(ForeignKey("api_keys.id", ondelete="CASCADE"), primary_key=True)
    # Null until they have signed in.
    issuer: Mapped[str | None]
    subject: Mapped[str | None]
    # In small letters, as the provider gives it or as they are expected by it.
    email: Mapped[str | None]
    name: Mapped[str | None]
    key: Mapped[ApiKey] = relationship(lazy="joined", innerjoin=True)

    @property
    def role(self) -> Role:
        """What they may do."""
        return role_of(self.key.scopes)

    @property
    def label(self) -> str:
        """What the audit log and lists call them."""
        return self.email or self.name or self.subject or ""
