"""Latencies and counts of requests by method, route and status.

Own code, as starlette-exporter fixes other label names, and prometheus-fastapi-instrumentator another name of the
route where none matched.
"""

import time
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.metrics import Metrics

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestMetrics:
    """Observes every request when its response has ended, also if it is streamed."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self._metrics = metrics

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

        with self._metrics.in_flight.track_inprogress():
            try:
                await self.app(scope, receive, send_and_note_status)
            finally:
                labels = (_method(scope), _template(scope), str(status))
                self._metrics.requests.labels(*labels).observe(time.perf_counter() - started)


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in _METHODS else "OTHER"


def _template(scope: Scope) -> str:
    """The path of the route with the names of its parameters, as a label must not take unboundedly many values."""
    return getattr(scope.get("route"), "path_format", "unmatched")
