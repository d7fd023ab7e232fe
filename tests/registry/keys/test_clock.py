"""Keys, secrets and sessions that ended stay so."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from registry.keys import service as keys
from registry.keys import sessions
from registry.keys import store as key_store
from registry.keys.model import ApiKey, LatestTime
from registry.keys.schemas import KeyInput, RotationInput, Scope
from registry.platform.database.engine import Database
from registry.platform.errors import Conflict, Unauthenticated

HOUR = timedelta(hours=1)


async def create(database: Database, ends_in: timedelta | None = None) -> tuple[ApiKey, str]:
    expires_at = None if ends_in is None else datetime.now(UTC) + ends_in
    async with database.begin() as session:
        return await keys.create(
            session, None, KeyInput(name="k", scopes=frozenset({Scope.READ}), expires_at=expires_at)
        )


async def opens(database: Database, secret: str) -> bool:
    try:
        async with database.begin() as session:
            await keys.authenticate(session, secret, "")
    except Unauthenticated:
        return False
    return True


async def set_back(database: Database, by: timedelta) -> None:
    """As if the clock had been set back: what was noted before is that much later than what it says now."""
    async with database.begin() as session:
        await key_store.note_time(session)
        await session.execute(update(LatestTime).values(time=LatestTime.time + by))


async def latest(database: Database) -> datetime:
    async with database.begin() as session:
        return (await session.get_one(LatestTime, 1)).time


async def test_what_has_ended_stays_so_when_the_clock_is_set_back(database: Database) -> None:
    (ending, first), (_, lasting), (_, later) = [await create(database, ends) for ends in (HOUR, None, 9 * HOUR)]
    rotated, former = await create(database)
    async with database.begin() as session:
        _, renewed = await keys.rotate(session, None, rotated.id, RotationInput(overlap_seconds=3600))
        token = await sessions.begin(session, lasting, "")
    assert [await opens(database, secret) for secret in (first, lasting, later, former, renewed)] == [True] * 5
    await set_back(database, sessions.LIFETIME + timedelta(minutes=1))
    opened = [await opens(database, secret) for secret in (first, lasting, later, former, renewed)]
    assert opened == [False, True, True, False, True]
    with pytest.raises(Unauthenticated):
        async with database.begin() as session:
            await sessions.principal_of(session, token, "")
    with pytest.raises(Conflict):
        async with database.begin() as session:
            await keys.rotate(session, None, ending.id, RotationInput())


async def test_the_time_that_is_kept_goes_on_and_not_back(database: Database) -> None:
    async with database.begin() as session:
        await key_store.note_time(session)
    first = await latest(database)
    async with database.begin() as session:
        await key_store.note_time(session)
    assert await latest(database) > first
    await set_back(database, HOUR)
    ahead = await latest(database)
    async with database.begin() as session:
        await key_store.note_time(session)
    assert await latest(database) == ahead
