"""What a running service tidies up now and then."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import structlog

from api.http.connection import Connection
from estimator.errors import CredenceError
from registry.store import idempotency

log = structlog.get_logger(__name__)

EVERY_SECONDS = 3600.0


@asynccontextmanager
async def housekeeping(connection: Connection) -> AsyncIterator[None]:
    """Tidies up once an hour for as long as the block lasts."""
    task = asyncio.create_task(_tidy(connection))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _tidy(connection: Connection) -> None:
    while True:
        await asyncio.sleep(EVERY_SECONDS)
        try:
            async with connection.runtime.database.begin() as session:
                forgotten = await idempotency.purge(session)
        except CredenceError as error:
            log.warning("housekeeping_skipped", why=str(error))
        else:
            log.debug("idempotency_keys_forgotten", count=forgotten)
