"""Work that nobody waits for any more is given up."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

T = TypeVar("T")


async def while_present(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """What the work comes to; it is cancelled, with `ClientDisconnect`, once the client has gone.

    The body of the request must have been read. With an idempotency key the work goes on, as the client can ask for
    its result again: nothing is heard of a client then.
    """
    working, leaving = asyncio.create_task(work), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return await working
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
