"""API keys are made and authenticated, and held to their sources; only the hash of a secret is stored."""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from uuid import UUID

from registry.corpora.model import Corpus
from registry.keys import store as key_store
from registry.keys.model import ApiKey, SourceBound
from registry.keys.schemas import READING, KeyInput, RotationInput, Scope
from registry.platform.database.base import AsyncSession
from registry.platform.database.engine import Database
from registry.platform.errors import Forbidden, Unauthenticated
from registry.sources.model import Source
from registry.viewers.model import ALL_SEEING, Asker, Viewer

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
    source_bound: SourceBound | None = None
    """The only sources that it may make and write; None is every source."""
    viewer: Viewer = ALL_SEEING
    """The documents that it may see."""
    requests_per_minute: int | None = None
    """Its own limit; None is that of the settings."""

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes or Scope.ADMIN in self.scopes

    @property
    def asker(self) -> Asker:
        return Asker(self.viewer, self.key_id)

    def for_groups(self, groups: frozenset[str]) -> "Principal":
        """The principal on behalf of somebody of these groups, for whom it reads and asks, and does nothing else."""
        scopes = frozenset(scope for scope in READING if self.may(scope))
        return replace(self, scopes=scopes, viewer=self.viewer.narrowed(groups))


ANONYMOUS = Principal("anonymous", frozenset(Scope))


async def create(session: AsyncSession, corpus: Corpus | None, values: KeyInput) -> tuple[ApiKey, str]:
    """A new key and its secret, which cannot be read again; without a corpus it is an operator's key."""
    secret = _new_secret()
    key = await key_store.create(session, corpus, values, prefix=secret[:SHOWN_CHARACTERS], secret_hash=digest(secret))
    return key, secret


async def rotate(
    session: AsyncSession, corpus: Corpus | None, key_id: UUID, values: RotationInput
) -> tuple[ApiKey, str]:
    """A key with a new secret, which cannot be read again; raises as `key_store.rotate` does."""
    secret, overlap = _new_secret(), timedelta(seconds=values.overlap_seconds)
    prefix, secret_hash = secret[:SHOWN_CHARACTERS], digest(secret)
    key = await key_store.rotate(session, corpus, key_id, prefix=prefix, secret_hash=secret_hash, overlap=overlap)
    return key, secret


async def authenticate(session: AsyncSession, secret: str, address: str) -> Principal:
    """The holder of a secret that came from an address; raises as `holder_of` does."""
    return await holder_of(session, await key_store.find(session, digest(secret)), address)


async def holder_of(session: AsyncSession, key: ApiKey | None, address: str) -> Principal:
    """The holder of a key that is used from an address.

    Raises `Unauthenticated` if it is unknown, expired or revoked, and `Forbidden` if it may not be used from there.
    """
    if key is None or key.revoked_at is not None or await key_store.has_passed(session, key.expires_at):
        raise Unauthenticated("This API key is unknown, expired or revoked.")
    if key.allowed_addresses and not _is_within(address, key.allowed_addresses):
        raise Forbidden(
            f"This API key may not be used from {address or 'an unknown address'}. Use it from the addresses that it "
            "was made for; behind a proxy the service must trust its header (FORWARDED_ALLOW_IPS)."
        )
    await key_store.note_use(session, key)
    scopes, viewer = frozenset(map(Scope, key.scopes)), Viewer.of(key.groups)
    return Principal(
        key.name, scopes, key.id, key.corpus_id, key.source_bound, viewer, requests_per_minute=key.requests_per_minute
    )


async def bound_of(session: AsyncSession, key_id: UUID | None) -> SourceBound | None:
    """The sources that a key is bound to as of now; None if it is not bound, or there is no key."""
    key = None if key_id is None else await session.get(ApiKey, key_id)
    return None if key is None else key.source_bound


def require_within(bound: SourceBound | None, source: Source) -> None:
    """Raise `Forbidden` for a source that the bound does not hold."""
    if bound is not None and not bound.holds(source.external_id):
        raise Forbidden(bound.refusal(source.external_id))


def require_unbound(bound: SourceBound | None) -> None:
    """Raise `Forbidden` for a bound key, where more is changed than sources and their documents."""
    if bound is not None:
        raise Forbidden(
            "This API key is bound to sources: it may make these and send their documents, and change nothing else. "
            "Use a key that is not bound."
        )


async def note_time(database: Database) -> None:
    """Keep the time, by which keys, secrets and sessions end.

    It does not go back when the clock does: it is that of PostgreSQL, of which all processes have one, or the latest
    that was noted.
    """
    async with database.begin() as session:
        await key_store.note_time(session)


def _is_within(address: str, networks: Iterable[str]) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in ip_network(network) for network in networks)


def _new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """The digest that is stored of a secret or token."""
    # It has 256 random bits, so that a fast hash without salt is safe, and an index can find it.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
