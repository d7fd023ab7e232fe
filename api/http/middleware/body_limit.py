"""The largest body a request may have."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import BodyTooLarge
from registry.platform.settings import Settings

IMPORT_SUFFIX = ":import"
# Forms that are read before anybody has signed in.
OPEN_FORMS = frozenset({"/sign-in", "/sign-out"})
MAX_OPEN_FORM_BYTES = 64 * 1024
# Of everything else but imports: a document of the longest has up to 16 million bytes.
MAX_BODY_BYTES = 16 * 2**20
# Browsers show a response only once they have sent their body.
DISCARD_SECONDS = 30.0


class BodyLimit:
    """Refuses a body that is longer than the path takes, before it is read if its length is announced.

    The limits of FastAPI are checked after authentication and idempotency, and do not name the limit.
    """

    def __init__(self, app: ASGIApp, settings: Settings, respond: Callable[[Exception, Scope], Response]) -> None:
        self.app = app
        self._settings = settings
        self._respond = respond

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self._limit(scope)
        if _announced(scope) > limit:
            refusal = self._respond(BodyTooLarge(limit), scope)
            if refusal.media_type == "text/html":
                await _discard(receive)
            # The body stays unread, so that nothing can follow it on this connection.
            refusal.headers["Connection"] = "close"
            await refusal(scope, receive, send)
            return
        received = 0

        async def receive_up_to_limit() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise BodyTooLarge(limit)
            return message

        await self.app(scope, receive_up_to_limit, send)

    def _limit(self, scope: Scope) -> int:
        if scope["path"] in OPEN_FORMS:
            return MAX_OPEN_FORM_BYTES
        is_import = scope["path"].endswith(IMPORT_SUFFIX)
        return self._settings.max_import_bytes if is_import else MAX_BODY_BYTES


async def _discard(receive: Receive) -> None:
    """Read the body away, as long as it takes up to a limit."""
    with suppress(TimeoutError):
        async with asyncio.timeout(DISCARD_SECONDS):
            while (await receive()).get("more_body", False):
                pass


def _announced(scope: Scope) -> int:
    length = Headers(scope=scope).get("content-length", "")
    return int(length) if length.isdecimal() and len(length) < 20 else 0
