"""What a transaction says when PostgreSQL does not do what it asks."""

from contextlib import aclosing

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL

from registry.database.engine import Database
from registry.errors import DatabaseUnavailable


async def test_a_statement_that_takes_too_long_names_the_setting(database_url: URL) -> None:
    async with aclosing(Database(database_url, pool_size=1, timeout_seconds=0.2)) as database:
        with pytest.raises(DatabaseUnavailable, match="CREDENCE_DATABASE_TIMEOUT_SECONDS"):
            async with database.begin() as session:
                await session.execute(text("SELECT pg_sleep(5)"))
        async with database.begin() as session:
            assert await session.scalar(text("SELECT 1")) == 1
