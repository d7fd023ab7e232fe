"""A port of its own for metrics, which scrapers that hold no API key can be let in to."""

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.error_responses import respond
from api.http.metrics import Metrics


class MetricsPort:
    """Answers `GET /metrics` without an API key, and nothing else, where a request came in at this port."""

    def __init__(self, app: ASGIApp, port: int, metrics: Metrics) -> None:
        self.app = app
        self._port = port
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The port of the socket, not of the header Host, which a client may write.
        if scope["type"] != "http" or scope["server"][1] != self._port:
            await self.app(scope, receive, send)
        elif (scope["method"], scope["path"]) == ("GET", "/metrics"):
            response = Response(await self._metrics.text(), media_type=CONTENT_TYPE_LATEST)
            await response(scope, receive, send)
        else:
            await respond(HTTPException(404), scope)(scope, receive, send)
