"""Housekeeping: rows that are too old, or whose corpus or source is gone, are deleted every hour."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import structlog

from estimator.errors import CredenceError
from registry.jobs.store import BATCH, RULES, delete_batch
from registry.platform.concurrency import in_background
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

PERIOD_SECONDS = 3600.0


@asynccontextmanager
async def housekeeping(runtime: Callable[[], Runtime]) -> AsyncIterator[None]:
    """Clean every hour for the duration of the block; `runtime` may raise while the database is away."""
    async with in_background(_repeat(runtime)):
        yield


async def clean(runtime: Runtime) -> dict[str, int]:
    """Delete what the rules say; returns how many rows of which tables."""
    deleted: dict[str, int] = {}
    for rule in RULES:
        name = rule.rows.name
        count = BATCH
        while count == BATCH:
            async with runtime.database.begin() as session:
                count = await delete_batch(session, rule, runtime.settings)
            deleted[name] = deleted.get(name, 0) + count
    return {name: count for name, count in deleted.items() if count}


async def _repeat(runtime: Callable[[], Runtime]) -> None:
    while True:
        await asyncio.sleep(PERIOD_SECONDS)
        try:
            deleted = await clean(runtime())
        except CredenceError as error:
            log.warning("housekeeping_skipped", why=error)
        else:
            log.info("housekeeping_done", **deleted)
