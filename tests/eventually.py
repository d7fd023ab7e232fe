"""Waiting for something that another task, thread or process does."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable


async def eventually(condition: Callable[[], object | Awaitable[object]], seconds: float = 100) -> None:
    """Return once `condition` (a function, async or not) returns something true; fail the test after `seconds`."""
    pause = 0.01
    async with asyncio.timeout(seconds):
        while True:
            result = condition()
            if await result if inspect.isawaitable(result) else result:
                return
            await asyncio.sleep(pause)
            # What takes long needs the processor that looking at it takes.
            pause = min(1.3 * pause, 0.2)
