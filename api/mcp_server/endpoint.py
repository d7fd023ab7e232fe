"""The server over HTTP at `/mcp`, without sessions: any process can answer any request, under the key it comes with."""

from contextlib import AbstractAsyncContextManager
from functools import cached_property

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from api.http.authorization import principal_of
from api.http.metrics import Metrics
from api.http.runtime_provider import RuntimeProvider
from api.mcp_server.access import AgentAccess, AgentContext
from api.mcp_server.server import build_server
from registry.keys.service import Principal
from registry.platform.errors import Unauthenticated

PATH = "/mcp"
LOCAL = TransportSecuritySettings(
    allowed_hosts=["127.0.0.1:*", "localhost:*", "[::1]:*", "127.0.0.1", "localhost"],
    allowed_origins=["http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*"],
)
OPEN = TransportSecuritySettings(enable_dns_rebinding_protection=False)


class McpEndpoint:
    """Answers POST; clients take the 405 of GET to mean that the server sends nothing unasked."""

    def __init__(self, provider: RuntimeProvider, metrics: Metrics) -> None:
        self._provider = provider
        self._metrics = metrics

    @cached_property
    def _sessions(self) -> StreamableHTTPSessionManager:
        """Made when the service starts: an application that only tells its routes needs none."""
        provider = self._provider
        access = AgentAccess(
            runtime=lambda: provider.runtime, principal=_principal, count_answer=self._metrics.count_answer
        )
        server = build_server(access)
        # Where no key is needed, a page of any site could otherwise ask by giving its own name this machine's address.
        origins = [*LOCAL.allowed_origins, *provider.settings.cors_origins]
        local = LOCAL.model_copy(update={"allowed_origins": origins})
        security = OPEN if provider.settings.keys_required else local
        server.streamable_http_app(stateless_http=True, transport_security=security)
        return server.session_manager

    @property
    def route(self) -> Route:
        """The route of the endpoint."""
        return Route(PATH, endpoint=self, methods=["POST"])

    def running(self) -> AbstractAsyncContextManager[None]:
        """Requests are answered for as long as the block lasts; it can be entered once."""
        return self._sessions.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._sessions.handle_request(scope, receive, send)


def _principal(context: AgentContext) -> Principal:
    request: Request | None = context.request_context.request
    if request is None:
        raise Unauthenticated("This request came without an API key.")
    return principal_of(request.scope)
