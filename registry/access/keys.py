"""API keys are made and authenticated; only the hash of a secret is stored."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from registry.access import key_store
from registry.errors import Unauthenticated
from registry.inputs.keys import KeyInput, Scope
from registry.models import ApiKey, Corpus

PREFIX = "crd_"
# Enough of a secret to tell keys apart in a list.
SHOWN_CHARACTERS = len(PREFIX) + 6


@dataclass(frozen=True, slots=True)
class Principal:
    """The sender of a request; without a corpus it sees every corpus."""

    name: str
    scopes: frozenset[Scope]
    key_id: UUID | None = None
    corpus_id: UUID | None = None

    def may(self, scope: Scope) -> bool:
        """Whether its key has the scope."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


ANONYMOUS = Principal("anonymous", frozenset(Scope))


async def create(session: AsyncSession, corpus: Corpus | None, values: KeyInput) -> tuple[ApiKey, str]:
    """A new key and its secret, which cannot be read again; without a corpus it is an operator's key."""
    secret = PREFIX + secrets.token_urlsafe(32)
    key = await key_store.create(session, corpus, values, prefix=secret[:SHOWN_CHARACTERS], secret_hash=digest(secret))
    return key, secret


async def authenticate(session: AsyncSession, secret: str) -> Principal:
    """The holder of a secret; raises `Unauthenticated` if its key is unknown, expired or revoked."""
    return holder_of(await key_store.find(session, digest(secret)))


def holder_of(key: ApiKey | None) -> Principal:
    """The holder of a key; raises `Unauthenticated` if it is unknown, expired or revoked."""
    if key is None or key.revoked_at is not None or (key.expires_at and key.expires_at <= datetime.now(UTC)):
        raise Unauthenticated("This API key is unknown, expired or revoked.")
    return Principal(key.name, frozenset(map(Scope, key.scopes)), key.id, key.corpus_id)


def digest(secret: str) -> bytes:
    """What is stored of a secret or token."""
    # It has 256 random bits, so that a fast hash without salt is safe, and an index can find it.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
