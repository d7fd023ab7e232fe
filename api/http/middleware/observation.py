"""The log line of every request, with its id, and its latency by method, route and status.

Own code, as starlette-exporter fixes other label names, and prometheus-fastapi-instrumentator another name of the
route where none matched.
"""

import time
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from http import HTTPStatus
from urllib.parse import quote

import structlog
from asgi_correlation_id import correlation_id
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.authorization import principal_of, told_path
from api.http.metrics import Metrics

log = structlog.get_logger("api.requests")

# Requested every few seconds by monitoring.
_QUIET = frozenset({"/livez", "/readyz", "/metrics"})
_MAX_PATH = 300
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class _Observation(ABC):
    """Notes the status and the duration of every request when its response has ended, also if it is streamed."""

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

        with self._meanwhile():
            try:
                await self.app(scope, receive, send_and_note_status)
            finally:
                self._note(scope, status, time.perf_counter() - started)

    @abstractmethod
    def _meanwhile(self) -> AbstractContextManager[object]:
        """Context variables that are set while a request runs."""

    @abstractmethod
    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        """Keep the status and the duration of a request that has ended."""


class RequestLog(_Observation):
    """Binds the request id to all lines of the request, and logs its status and duration."""

    def _meanwhile(self) -> AbstractContextManager[object]:
        return structlog.contextvars.bound_contextvars(request_id=correlation_id.get())

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        write = log.debug if scope["path"] in _QUIET else log.info
        write(
            "request",
            method=scope["method"],
            path=quote(told_path(scope["path"])[:_MAX_PATH].encode("utf-8", "replace")),
            status=status,
            milliseconds=round(seconds * 1000, 1),
            principal=principal_of(scope).name,
        )


class RequestMetrics(_Observation):
    """Counts requests in flight, and observes how long each took."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        super().__init__(app)
        self._metrics = metrics

    def _meanwhile(self) -> AbstractContextManager[object]:
        return self._metrics.in_flight.track_inprogress()

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        # The path with the names of its parameters, as a label must not take unboundedly many values.
        route = getattr(scope.get("route"), "path_format", "unmatched")
        self._metrics.requests.labels(method, route, str(status)).observe(seconds)
