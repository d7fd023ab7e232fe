"""One length of a body, whatever the method."""

from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.errors import BrokenBody


class OneLength:
    """Refuses a request with two lengths, of which a proxy may have taken the other (RFC 9112, section 6.3), before
    anything answers it: what follows it on the connection may be a part of it.
    """

    def __init__(self, app: ASGIApp, respond: Callable[[Exception, Scope], Response]) -> None:
        self.app = app
        self._respond = respond

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_both(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        refusal = self._respond(BrokenBody("Send a Content-Length or a Transfer-Encoding, not both."), scope)
        refusal.headers["Connection"] = "close"
        await refusal(scope, receive, send)


def _has_both(headers: Headers) -> bool:
    return "content-length" in headers and "transfer-encoding" in headers
