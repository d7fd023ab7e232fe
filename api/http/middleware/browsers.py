"""What browsers are told: headers against guessing, framing and referring, and whose scripts may call."""

from starlette.datastructures import MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.platform.settings import Settings

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# What is no page loads nothing.
NOTHING = "default-src 'none'; frame-ancestors 'none'"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
EXPOSED = ("Content-Disposition", "Location", "Retry-After", "X-Request-ID")


class SecurityHeaders:
    """Adds the headers to every response that does not have them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Content-Security-Policy", NOTHING)
            await send(message)

        await self.app(scope, receive, send_with_headers)


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
