"""API keys: shown once, stored as a hash, limited to scopes and, usually, to one corpus."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.database.paging import Page, paginate
from registry.errors import NotFound, Unauthenticated
from registry.inputs.keys import KeyInput, Scope
from registry.models import ApiKey, Corpus

PREFIX = "crd_"
# Enough of the secret to tell keys apart in a list, too little to guess the rest.
SHOWN = len(PREFIX) + 6


@dataclass(frozen=True, slots=True)
class Principal:
    """Who sends a request. Without a corpus it sees all of them."""

    name: str
    scopes: frozenset[Scope]
    key_id: UUID | None = None
    corpus_id: UUID | None = None

    def may(self, scope: Scope) -> bool:
        """Whether it holds the scope."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


ANONYMOUS = Principal("anonymous", frozenset(Scope))


async def create(session: AsyncSession, corpus: Corpus | None, given: KeyInput) -> tuple[ApiKey, str]:
    """A new key and its secret, which nobody can find out again."""
    secret = PREFIX + secrets.token_urlsafe(32)
    key = ApiKey(
        corpus_id=corpus.id if corpus else None,
        name=given.name,
        prefix=secret[:SHOWN],
        secret_hash=_hash(secret),
        scopes=sorted(given.scopes),
        expires_at=given.expires_at,
        daily_model_calls=given.daily_model_calls,
        daily_tokens=given.daily_tokens,
    )
    session.add(key)
    await session.flush()
    await session.refresh(key)
    return key, secret


async def page(session: AsyncSession, corpus: Corpus | None, *, cursor: str | None, limit: int) -> Page[ApiKey]:
    """The keys of the corpus, or of the operators, oldest first."""
    rows = select(ApiKey).where(ApiKey.corpus_id == (corpus.id if corpus else None))
    return await paginate(session, rows, ApiKey.id, cursor=cursor, limit=limit)


async def revoke(session: AsyncSession, corpus: Corpus | None, key_id: UUID) -> ApiKey:
    """Make a key useless from now on; revoking it again changes nothing. Raises `NotFound`."""
    key = await session.get(ApiKey, key_id)
    if key is None or key.corpus_id != (corpus.id if corpus else None):
        raise NotFound("API key", key_id)
    key.revoked_at = key.revoked_at or datetime.now(UTC)
    return key


async def authenticate(session: AsyncSession, secret: str) -> Principal:
    """Whose key this is; raises `Unauthenticated` for an unknown, expired or revoked one."""
    # The secret has 256 random bits: a plain hash is as good as a slow one, and an index can find it.
    key = await session.scalar(select(ApiKey).where(ApiKey.secret_hash == _hash(secret)))
    if key is None or key.revoked_at is not None or (key.expires_at and key.expires_at <= datetime.now(UTC)):
        raise Unauthenticated("This API key is unknown, expired or revoked.")
    return Principal(key.name, frozenset(map(Scope, key.scopes)), key.id, key.corpus_id)


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
