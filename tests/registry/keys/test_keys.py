"""Secrets that are replaced, addresses that a key is bound to, and when a key was last used."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from registry.keys import service as keys
from registry.keys import sessions
from registry.keys import store as key_store
from registry.keys.model import ApiKey
from registry.keys.schemas import KeyInput, KeyPatch, RotationInput, Scope
from registry.platform.database.engine import Database
from registry.platform.errors import Conflict, Forbidden, Unauthenticated
from tests.fixtures import Recording
from tests.tables import for_each


async def create(database: Database, **fields: object) -> tuple[ApiKey, str]:
    values = KeyInput.model_validate({"name": "app", "scopes": [Scope.READ], **fields})
    async with database.begin() as session:
        return await keys.create(session, None, values)


async def opens(database: Database, secret: str, address: str = "192.0.2.1") -> bool:
    try:
        async with database.begin() as session:
            await keys.authenticate(session, secret, address)
    except Unauthenticated:
        return False
    return True


async def rotate(database: Database, key: ApiKey, overlap_seconds: int = 3600) -> str:
    async with database.begin() as session:
        return (await keys.rotate(session, None, key.id, RotationInput(overlap_seconds=overlap_seconds)))[1]


async def test_a_rotated_key_has_two_secrets_until_the_overlap_ends(database: Database) -> None:
    key, first = await create(database)
    async with database.begin() as session:
        token = await sessions.begin(session, first, "")
    second = await rotate(database, key)
    assert [await opens(database, secret) for secret in (first, second)] == [True, True]
    with pytest.raises(Unauthenticated):
        async with database.begin() as session:
            await sessions.principal_of(session, token, "")
    async with database.begin() as session:
        await session.execute(update(ApiKey).values(previous_secret_ends_at=datetime.now(UTC) - timedelta(seconds=1)))
    assert [await opens(database, secret) for secret in (first, second)] == [False, True]
    third = await rotate(database, key)
    fourth = await rotate(database, key)
    assert [await opens(database, secret) for secret in (second, third, fourth)] == [False, True, True]
    fifth = await rotate(database, key, 0)
    assert [await opens(database, secret) for secret in (fourth, fifth)] == [False, True]
    async with database.begin() as session:
        await key_store.revoke(session, None, key.id)
    assert not await opens(database, fifth)
    with pytest.raises(Conflict):
        await rotate(database, key)


async def test_a_change_leaves_what_is_not_sent_and_the_secret(database: Database) -> None:
    key, secret = await create(database, daily_tokens=9, max_documents=5, allowed_addresses=["10.0.0.0/8"])

    async def change(**fields: object) -> ApiKey:
        async with database.begin() as session:
            return await key_store.update(session, None, key.id, KeyPatch.model_validate(fields))

    changed = await change(daily_tokens=None, allowed_addresses=None, name=None)
    assert (changed.daily_tokens, changed.max_documents, changed.allowed_addresses) == (None, 5, [])
    assert changed.name == "app"
    assert await opens(database, secret)
    await change(expires_at=datetime.now(UTC) - timedelta(days=1))
    assert not await opens(database, secret)
    async with database.begin() as session:
        await key_store.revoke(session, None, key.id)
    with pytest.raises(Conflict):
        await change(name="other")


@for_each(
    ("address", "is_allowed"),
    [
        ("10.20.30.40", True),
        ("::ffff:10.0.0.1", True),
        ("2001:db8::7", True),
        ("192.0.2.7", True),
        ("192.0.2.8", False),
        ("2001:db9::7", False),
        ("testclient", False),
        ("", False),
    ],
)
async def test_a_key_is_refused_from_other_addresses(database: Database, address: str, is_allowed: bool) -> None:
    key, secret = await create(database, allowed_addresses=["10.0.0.1/8", "2001:db8::/32", "192.0.2.7"])
    assert key.allowed_addresses == ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7/32"]
    if is_allowed:
        assert await opens(database, secret, address)
        return
    with pytest.raises(Forbidden, match="may not be used from"):
        await opens(database, secret, address)


async def test_use_is_noted_once_a_minute(database: Database, count_statements: Recording) -> None:
    key, secret = await create(database)
    with count_statements() as statements:
        for _ in range(3):
            await opens(database, secret)
    assert sum(statement.startswith("UPDATE") for statement in statements) == 1
    async with database.begin() as session:
        used = (await session.get_one(ApiKey, key.id)).last_used_at
        assert used is not None
        assert datetime.now(UTC) - used < timedelta(seconds=20)
        await session.execute(update(ApiKey).values(last_used_at=used - timedelta(minutes=1)))
    with count_statements() as statements:
        await opens(database, secret)
    assert any(statement.startswith("UPDATE") for statement in statements)
