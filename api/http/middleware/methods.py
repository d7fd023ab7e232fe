"""HEAD and OPTIONS for every path, which FastAPI answers with 405."""

import anyio
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.error_responses import allowed_methods


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
