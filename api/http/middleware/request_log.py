"""Every request gets an id and one line in the log."""

import time
from http import HTTPStatus
from urllib.parse import quote

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.auth import principal_of
from api.http.request_ids import REQUEST_ID_HEADER, assign_request_id

log = structlog.get_logger("api.requests")

# Asked every few seconds by whoever watches the service.
_QUIET = frozenset({"/livez", "/readyz", "/metrics"})
_LONGEST_PATH = 300


class RequestLog:
    """Binds the request id to all lines of the request, sends it back, and logs how the request ended."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = assign_request_id(scope)
        status, started = HTTPStatus.INTERNAL_SERVER_ERROR.value, time.perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive, send_with_id)
            finally:
                _write(scope, status, time.perf_counter() - started)


def _write(scope: Scope, status: int, seconds: float) -> None:
    write = log.debug if scope["path"] in _QUIET else log.info
    write(
        "request",
        method=scope["method"],
        path=quote(scope["path"][:_LONGEST_PATH].encode("utf-8", "replace")),
        status=status,
        milliseconds=round(seconds * 1000, 1),
        principal=principal_of(scope).name,
    )
