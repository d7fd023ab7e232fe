"""Advisory locks of Postgres: who holds one is the only one, and loses it when it dies."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from registry.database.engine import Database, translate_errors


@asynccontextmanager
async def try_lock(database: Database, name: str) -> AsyncIterator[AsyncConnection | None]:
    """The connection that holds the lock `name` for as long as the block lasts; None if somebody else holds it.

    The lock lives as long as the connection: whoever must be sure to hold it still asks `holds`.
    """
    async with translate_errors(), database.engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        mine = await connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": _key(name)})
        try:
            yield connection if mine else None
        finally:
            if mine and not connection.invalidated:
                # Closing the connection frees the lock whatever state it is in; a pooled one would keep it.
                await connection.invalidate()


async def holds(connection: AsyncConnection) -> bool:
    """Whether the connection still lives, and with it the lock; raises the driver's error if it does not."""
    return bool(await connection.scalar(text("SELECT 1")))


def _key(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
