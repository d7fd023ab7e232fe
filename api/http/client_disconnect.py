"""Work that is cancelled when the client disconnects."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

Result = TypeVar("Result")


async def cancel_on_disconnect(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """The result of the work, which is cancelled once the client disconnects; raises `ClientDisconnect` then.

    The body of the request must have been read. With an idempotency key the work goes on, as the client can repeat the
    request: `Idempotency` reports no disconnect.
    """
    working, leaving = asyncio.create_task(work), asyncio.create_task(_disconnect(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return await working
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
