"""One line in the log for every request, under its id."""

import time
from http import HTTPStatus
from urllib.parse import quote

import structlog
from asgi_correlation_id import correlation_id
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.authorization import principal_of, told_path

log = structlog.get_logger("api.requests")

# Requested every few seconds by monitoring.
_QUIET = frozenset({"/livez", "/readyz", "/metrics"})
_MAX_PATH = 300


class RequestLog:
    """Binds the request id to all lines of the request, and logs its status and duration."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, started = HTTPStatus.INTERNAL_SERVER_ERROR.value, time.perf_counter()

        async def send_and_note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=correlation_id.get()):
            try:
                await self.app(scope, receive, send_and_note_status)
            finally:
                _write(scope, status, time.perf_counter() - started)


def _write(scope: Scope, status: int, seconds: float) -> None:
    write = log.debug if scope["path"] in _QUIET else log.info
    write(
        "request",
        method=scope["method"],
        path=quote(told_path(scope["path"])[:_MAX_PATH].encode("utf-8", "replace")),
        status=status,
        milliseconds=round(seconds * 1000, 1),
        principal=principal_of(scope).name,
    )
