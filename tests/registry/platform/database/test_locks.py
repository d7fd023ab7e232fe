"""Advisory locks: one holder at a time, and no wait once it is given up."""

from contextlib import AsyncExitStack, aclosing

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL

from registry.platform.database.engine import MOST_LOCKS, Database
from registry.platform.database.locks import try_lock
from registry.platform.errors import DatabaseUnavailable


async def test_a_lock_has_one_holder_and_is_free_at_once_after_it(database: Database) -> None:
    for _ in range(20):
        async with try_lock(database, "work") as held, try_lock(database, "work") as refused:
            assert held is not None
            assert refused is None


async def test_locks_take_nothing_from_the_pool_and_are_bounded(database_url: URL) -> None:
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(aclosing(Database(database_url, pool_size=1, timeout_seconds=0.2)))
        for number in range(MOST_LOCKS):
            assert await stack.enter_async_context(try_lock(database, f"work {number}")) is not None
        async with database.begin() as session:
            assert await session.scalar(text("SELECT 1")) == 1
        with pytest.raises(DatabaseUnavailable):
            await stack.enter_async_context(try_lock(database, "one more"))
