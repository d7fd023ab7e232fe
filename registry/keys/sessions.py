"""Browsers that are signed in: a session has the rights of an API key, or of that of a person, and ends with it."""

import secrets
from datetime import UTC, datetime, timedelta
from uuid import UUID

from registry.keys import service as keys
from registry.keys import store
from registry.keys.model import BrowserSession
from registry.keys.service import Principal
from registry.platform.database.base import AsyncSession
from registry.platform.errors import Unauthenticated

LIFETIME = timedelta(hours=8)


async def begin(session: AsyncSession, secret: str, address: str) -> str:
    """Sign in with the secret of an API key and return the token of the new session.

    Raises as `keys.holder_of` does.
    """
    return begin_with(session, (await keys.authenticate(session, secret, address)).key_id)


def begin_with(session: AsyncSession, key_id: UUID | None) -> str:
    """Sign in with a key that has been checked, and return the token of the new session."""
    token, expires_at = new_token(), datetime.now(UTC) + LIFETIME
    session.add(BrowserSession(token_hash=keys.digest(token), key_id=key_id, expires_at=expires_at))
    return token


async def principal_of(session: AsyncSession, token: str, address: str) -> Principal:
    """The holder of the key that a session was begun with.

    Raises `Unauthenticated` if either has ended, and `Forbidden` if the key may not be used from the address.
    """
    key = await store.key_of_session(session, keys.digest(token))
    if key is None:
        raise Unauthenticated("This session has ended; sign in again.")
    return await keys.holder_of(session, key, address)


async def end(session: AsyncSession, token: str) -> None:
    """Sign out; idempotent."""
    await store.end_session(session, keys.digest(token))


def new_token() -> str:
    return secrets.token_urlsafe(32)
