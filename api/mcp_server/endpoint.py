"""The route `/mcp`. The SDK takes 0.6 s to import, so a service that no agent asks never does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
from anyio.abc import TaskGroup, TaskStatus
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from api.http.authorization import principal_of
from api.http.metrics import Metrics
from registry.keys.service import Principal
from registry.platform.errors import Unauthenticated
from registry.runtime import Runtime

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"
LOCAL_HOSTS = ["127.0.0.1:*", "localhost:*", "[::1]:*", "127.0.0.1", "localhost"]
LOCAL_ORIGINS = ["http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*"]


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
        sessions = await anyio.to_thread.run_sync(_make_sessions, self._runtime, self._metrics)
        async with sessions.run():
            task_status.started(sessions)
            await anyio.sleep_forever()


def _make_sessions(runtime: Runtime, metrics: Metrics) -> "StreamableHTTPSessionManager":
    """A handler that passes requests to a server without sessions, for as long as its `run` lasts."""
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415  (imports the SDK)

    from api.mcp_server.access import AgentAccess  # noqa: PLC0415  (likewise)
    from api.mcp_server.server import build_server  # noqa: PLC0415  (likewise)

    def principal(context: "Context[Any, Request]") -> Principal:
        if context.request_context.request is None:
            raise Unauthenticated("This request came without an API key.")
        return principal_of(context.request_context.request.scope)

    server = build_server(AgentAccess(runtime, principal=principal, count_answer=metrics.count_answer))
    # Where no key is needed, a page of any site could otherwise ask by giving its own name this machine's address.
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=not runtime.settings.keys_required,
        allowed_hosts=LOCAL_HOSTS,
        allowed_origins=[*LOCAL_ORIGINS, *runtime.settings.cors_origins],
    )
    server.streamable_http_app(stateless_http=True, transport_security=security)
    return server.session_manager
