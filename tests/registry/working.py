"""A worker that runs in the test's process for as long as a block lasts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from registry.jobs import worker
from registry.runtime import Runtime


@asynccontextmanager
async def working(runtime: Runtime) -> AsyncIterator[None]:
    """It ends with the block, also when that fails: what went on would hold up the tests after it."""
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run_worker(runtime, stop=stop))
    try:
        yield
    finally:
        stop.set()
        await task
