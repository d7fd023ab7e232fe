"""What HTTP has and FastAPI leaves out: HEAD and OPTIONS for every path, and one length of a body."""

from collections.abc import Callable

import anyio
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.error_responses import allowed_methods
from api.http.errors import BrokenBody


class HeadAndOptions:
    """Answers HEAD as GET without the body, and OPTIONS with the methods of the path."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            await self._head(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] == "OPTIONS" and (allowed := allowed_methods(scope)):
            await Response(status_code=204, headers={"Allow": ", ".join(allowed)})(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _head(self, scope: Scope, receive: Receive, send: Send) -> None:
        as_get = {**scope, "method": "GET"}
        with anyio.CancelScope() as running:

            async def send_start(message: Message) -> None:
                if message["type"] != "http.response.start":
                    return
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                if not any(name == b"content-length" for name, _ in message["headers"]):
                    # A response without a length is a stream, of which nothing more is needed.
                    running.cancel()

            await self.app(as_get, receive, send_start)
        scope.update({key: as_get[key] for key in ("route", "path_params") if key in as_get})


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
