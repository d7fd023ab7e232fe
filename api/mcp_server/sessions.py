"""The server over HTTP, without sessions: any process can answer any request, under the key it comes with."""

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request

from api.http.authorization import principal_of
from api.http.metrics import Metrics
from api.mcp_server.access import AgentAccess, AgentContext
from api.mcp_server.server import build_server
from registry.keys.service import Principal
from registry.platform.errors import Unauthenticated
from registry.runtime import Runtime

LOCAL_HOSTS = ["127.0.0.1:*", "localhost:*", "[::1]:*", "127.0.0.1", "localhost"]
LOCAL_ORIGINS = ["http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*"]


def make_sessions(runtime: Runtime, metrics: Metrics) -> StreamableHTTPSessionManager:
    """A handler that passes requests to a server of its own for as long as its `run` lasts."""
    server = build_server(AgentAccess(runtime, principal=_principal, count_answer=metrics.count_answer))
    # Where no key is needed, a page of any site could otherwise ask by giving its own name this machine's address.
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=not runtime.settings.keys_required,
        allowed_hosts=LOCAL_HOSTS,
        allowed_origins=[*LOCAL_ORIGINS, *runtime.settings.cors_origins],
    )
    server.streamable_http_app(stateless_http=True, transport_security=security)
    return server.session_manager


def _principal(context: AgentContext) -> Principal:
    request: Request | None = context.request_context.request
    if request is None:
        raise Unauthenticated("This request came without an API key.")
    return principal_of(request.scope)
