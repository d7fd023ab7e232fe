"""Housekeeping: rows that are too old, or whose corpus or source is gone, are deleted every hour."""

import structlog

from registry.jobs.store import BATCH, RULES, delete_batch
from registry.runtime import Runtime

log = structlog.get_logger(__name__)


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
    deleted = {name: count for name, count in deleted.items() if count}
    log.info("housekeeping_done", **deleted)
    return deleted
