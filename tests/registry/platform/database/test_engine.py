"""Advisory locks, and what a transaction says when PostgreSQL does not do what it asks."""

from contextlib import AsyncExitStack, aclosing

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import text
from sqlalchemy.engine import URL

from registry.platform.database.engine import MOST_LOCKS, Database, libpq_url
from registry.platform.database.locks import try_lock
from registry.platform.errors import DatabaseUnavailable


async def test_a_statement_that_takes_too_long_names_the_setting(database_url: URL) -> None:
    async with aclosing(Database(database_url, pool_size=1, timeout_seconds=0.2)) as database:
        with pytest.raises(DatabaseUnavailable, match="CREDENCE_DATABASE_TIMEOUT_SECONDS"):
            async with database.begin() as session:
                await session.execute(text("SELECT pg_sleep(5)"))
        async with database.begin() as session:
            assert await session.scalar(text("SELECT 1")) == 1


async def test_a_refused_connection_says_what_to_raise_or_lower(database_url: URL) -> None:
    name = f"{database_url.database}_limited"
    role = sql.Identifier(name)
    with psycopg.connect(libpq_url(database_url), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'secret' CONNECTION LIMIT 1").format(role))
        try:
            url = database_url.set(username=name, password="secret")
            async with aclosing(Database(url, pool_size=2, timeout_seconds=5)) as database, database.begin() as session:
                await session.execute(text("SELECT 1"))
                with pytest.raises(DatabaseUnavailable, match="CREDENCE_DATABASE_POOL_SIZE"):
                    async with database.begin() as another:
                        await another.execute(text("SELECT 1"))
        finally:
            connection.execute(sql.SQL("DROP ROLE {}").format(role))


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
