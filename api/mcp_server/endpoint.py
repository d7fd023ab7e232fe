"""The route `/mcp`. The SDK takes 0.6 s to import, so a service that no agent asks never does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup, TaskStatus
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from api.http.metrics import Metrics
from registry.runtime import Runtime

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"


class McpEndpoint:
    """Answers POST; clients take the 405 of GET to mean that the server sends nothing unasked."""

    def __init__(self, runtime: Runtime, metrics: Metrics) -> None:
        self._runtime = runtime
        self._metrics = metrics
        self._opening = asyncio.Lock()
        self._tasks: TaskGroup | None = None
        self._sessions: StreamableHTTPSessionManager | None = None

    @property
    def route(self) -> Route:
        """The route of the endpoint."""
        return Route(PATH, endpoint=self, methods=["POST"])

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Requests are answered for as long as the block lasts."""
        async with anyio.create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._opening:
            if self._sessions is None:
                assert self._tasks is not None  # noqa: S101  (requests come while it runs)
                self._sessions = await self._tasks.start(self._run_sessions)
        await self._sessions.handle_request(scope, receive, send)

    async def _run_sessions(self, *, task_status: TaskStatus["StreamableHTTPSessionManager"]) -> None:
        sessions = await anyio.to_thread.run_sync(self._make_sessions)
        async with sessions.run():
            task_status.started(sessions)
            await anyio.sleep_forever()

    def _make_sessions(self) -> "StreamableHTTPSessionManager":
        from api.mcp_server.sessions import make_sessions  # noqa: PLC0415  (imports the SDK)

        return make_sessions(self._runtime, self._metrics)
