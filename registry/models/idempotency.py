"""Requests that carried an Idempotency-Key."""

from sqlalchemy import LargeBinary
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from registry.models.base import Base, Created, Json


class IdempotentRequest(Base):
    """A request with an Idempotency-Key and its response, which is null while the request is in progress."""

    __tablename__ = "idempotent_requests"

    scope: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    request_hash: Mapped[bytes] = mapped_column(LargeBinary)
    status: Mapped[int | None]
    headers: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))
    response: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[Created]
