"""Scripts of other web sites in a browser (CORS): those that the settings name may call the interfaces for programs."""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from registry.platform.settings import Settings

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
EXPOSED = ("Content-Disposition", "Location", "Retry-After", "X-Request-ID")


class CrossOrigin:
    """Lets scripts of the named origins call `/v1`, `/mcp` and `/openapi.json`, without cookies."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._open = CORSMiddleware(
            app,
            allow_origins=settings.cors_origins,
            allow_methods=METHODS,
            allow_headers=["*"],
            allow_private_network=True,
            expose_headers=EXPOSED,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_open = scope["type"] == "http" and _for_programs(scope["path"])
        await (self._open if is_open else self.app)(scope, receive, send)


def _for_programs(path: str) -> bool:
    return path.startswith("/v1/") or path in {"/mcp", "/openapi.json"}
