"""API keys, what they have spent, the browsers that signed in with them, and how often callers did something."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import Text

from registry.models.base import Base, Created, Identifier, Quotas


class ApiKey(Quotas, Base):
    """An API key, stored as the SHA-256 of its secret; without a corpus it is an operator's and sees them all."""

    __tablename__ = "api_keys"
    __table_args__ = (Index(None, "corpus_id", "id"),)

    id: Mapped[Identifier]
    corpus_id: Mapped[UUID | None] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"))
    name: Mapped[str]
    prefix: Mapped[str]
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    # The secret before the last rotation, which opens the key until then.
    previous_secret_hash: Mapped[bytes | None] = mapped_column(LargeBinary, unique=True)
    previous_secret_ends_at: Mapped[datetime | None]
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    created_at: Mapped[Created]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    # Networks in CIDR notation from which it may be used; empty is from everywhere.
    allowed_addresses: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list, server_default=text("'{}'"))
    # Limits on the use of language models from midnight to midnight UTC; null is no limit.
    daily_model_calls: Mapped[int | None] = mapped_column(BigInteger)
    daily_tokens: Mapped[int | None] = mapped_column(BigInteger)


class KeySpending(Base):
    """What an API key with a limit has spent on one day (UTC)."""

    __tablename__ = "key_spending"

    key_id: Mapped[UUID] = mapped_column(ForeignKey("api_keys.id", ondelete="CASCADE"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    model_calls: Mapped[int] = mapped_column(BigInteger, default=0, server_default=text("0"))
    tokens: Mapped[int] = mapped_column(BigInteger, default=0, server_default=text("0"))
    questions: Mapped[int] = mapped_column(BigInteger, default=0, server_default=text("0"))


class BrowserSession(Base):
    """A browser that signed in with an API key, stored as the SHA-256 of the token in its cookie."""

    __tablename__ = "browser_sessions"

    token_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    key_id: Mapped[UUID] = mapped_column(ForeignKey("api_keys.id", ondelete="CASCADE"), index=True)
    expires_at: Mapped[datetime] = mapped_column(index=True)


class RateCount(Base):
    """How often a key or an address did something in a minute, counted from 1970."""

    __tablename__ = "rate_counts"

    kind: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    minute: Mapped[int] = mapped_column(BigInteger, primary_key=True, index=True)
    count: Mapped[int] = mapped_column(BigInteger)
