"""API keys, what they have spent, the browsers that signed in with them, and how often callers did something."""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, LargeBinary, SmallInteger, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import Text

from registry.platform.database.base import Base, Created, Identifier, Quotas


@dataclass(frozen=True, slots=True)
class SourceBound:
    """The only sources that a key may make, and send documents of."""

    external_ids: frozenset[str]
    prefix: str | None
    """Prefix of the external ids of others."""

    def holds(self, external_id: str) -> bool:
        return external_id in self.external_ids or (self.prefix is not None and external_id.startswith(self.prefix))

    @staticmethod
    def refusal(reference: str) -> str:
        """The reason why a source is not created or written."""
        return f"This API key is bound to sources, and {reference[:100]!r} is none of them."


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
    # External ids of the only sources that it may make and write, and what those of others begin with; where both are
    # null it may do so with every source.
    sources: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    source_prefix: Mapped[str | None]
    # Whose documents it sees, beside those for everybody; null sees everything.
    groups: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    # Limits on the use of language models from midnight to midnight UTC; null is no limit.
    daily_model_calls: Mapped[int | None] = mapped_column(BigInteger)
    daily_tokens: Mapped[int | None] = mapped_column(BigInteger)
    # Null is what the settings allow, which is also the most.
    requests_per_minute: Mapped[int | None] = mapped_column(BigInteger)

    @property
    def source_bound(self) -> SourceBound | None:
        """The sources that it is bound to; None for a key that is bound to none."""
        if self.sources is None and self.source_prefix is None:
            return None
        return SourceBound(frozenset(self.sources or ()), self.source_prefix)


class KeySpending(Base):
    """The spending of an API key with a limit on one day (UTC)."""

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
    """The number of actions of a key or an address in a minute, counted from 1970."""

    __tablename__ = "rate_counts"

    kind: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    minute: Mapped[int] = mapped_column(BigInteger, primary_key=True, index=True)
    count: Mapped[int] = mapped_column(BigInteger)


class LatestTime(Base):
    """The latest time that any process saw, in the one row that there is."""

    __tablename__ = "latest_time"
    __table_args__ = (CheckConstraint("id = 1", name="one"),)

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    time: Mapped[datetime]
