"""The largest body a request may have."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.error_responses import respond
from api.http.errors import BodyTooLarge
from registry.settings import Settings

IMPORT_SUFFIX = ":import"


class BodyLimit:
    """Refuses a body that is longer than the path takes, before it is read if its length is announced.

    The limits of FastAPI are checked after authentication and idempotency, and do not name the limit.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self._limit(scope)
        if _announced(scope) > limit:
            refusal = respond(BodyTooLarge(limit), scope)
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
        is_import = scope["path"].endswith(IMPORT_SUFFIX)
        return self._settings.max_import_bytes if is_import else self._settings.max_body_bytes


def _announced(scope: Scope) -> int:
    length = Headers(scope=scope).get("content-length", "")
    return int(length) if length.isdecimal() and len(length) < 20 else 0
