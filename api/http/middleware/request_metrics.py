"""Counts requests and their latencies by the template of their route."""

import time
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.metrics import Metrics

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestMetrics:
    """Observes every request once its response, streamed ones included, has ended."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, started = HTTPStatus.INTERNAL_SERVER_ERROR.value, time.perf_counter()

        async def send_and_see(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with self._metrics.in_flight.track_inprogress():
            try:
                await self.app(scope, receive, send_and_see)
            finally:
                labels = (_method(scope), _template(scope), str(status))
                self._metrics.requests.labels(*labels).observe(time.perf_counter() - started)


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in _METHODS else "OTHER"


def _template(scope: Scope) -> str:
    """The route with the names of its parameters, not their values: a label must not take endless values."""
    return getattr(scope.get("route"), "path_format", "unmatched")
