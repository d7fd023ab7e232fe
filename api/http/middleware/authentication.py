"""Authentication by API key, before anything of the body is read."""

from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.authorization import COOKIE, address_of, require_known_origin, require_local_name, set_principal
from estimator.errors import CredenceError
from registry.keys import service as keys
from registry.keys import sessions
from registry.keys.rates import RateKind, RateLimits
from registry.keys.service import ANONYMOUS, Principal
from registry.platform.errors import Unauthenticated
from registry.platform.settings import Settings
from registry.runtime import Runtime

PROTECTED = "/v1/"
AGENTS = "/mcp"
OPERATIONS = frozenset({"/metrics", "/docs", "/openapi.json"})
"""Needs a key of any scope, or the session of a browser, unless the settings make them public."""
MAX_RIGHT = 1000
APP_API = "authorization-app-api"
NO_KEY = "none"
"""Stands for no key, in clients that insist on one."""


class Authentication:
    """Sets the principal of every request that needs an API key; anonymous where none is required and none is sent.

    A key that is sent counts also where none is required: a wrong one is refused, a right one has its own rights.
    """

    def __init__(
        self,
        app: ASGIApp,
        runtime: Runtime,
        limits: RateLimits,
        respond: Callable[[Exception, Scope], Response],
    ) -> None:
        self.app = app
        self._respond = respond
        self._runtime = runtime
        self._limits = limits
        # Digests of keys that were right, the latest last: an address that others abuse goes on with them.
        self._right: dict[bytes, None] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._is_protected(scope["path"]):
            await self.app(scope, receive, send)
            return
        try:
            set_principal(scope, await self._principal(scope))
        except CredenceError as error:
            await self._respond(error, scope)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _is_protected(self, path: str) -> bool:
        is_operation = path in OPERATIONS and not self._runtime.settings.public_operations
        return path.startswith(PROTECTED) or path == AGENTS or is_operation

    async def _principal(self, scope: Scope) -> Principal:
        settings, authorization = self._runtime.settings, _authorization(Headers(scope=scope))
        if not settings.keys_required:
            require_local_name(scope, settings)
            require_known_origin(scope, settings)
            if not _carries_key(authorization, settings):
                return ANONYMOUS
        token = Request(scope).cookies.get(COOKIE)
        if scope["path"] in OPERATIONS and token is not None and not authorization:
            async with self._runtime.database.begin() as session:
                return await sessions.principal_of(session, token, address_of(scope))
        secret = _bearer(authorization)
        digest, address = keys.digest(secret), address_of(scope)
        if self._right.pop(digest, digest) is not None:
            self._limits.require(RateKind.FAILED_LOGIN, address)
        try:
            async with self._runtime.database.begin() as session:
                principal = await keys.authenticate(session, secret, address)
        except Unauthenticated:
            await self._limits.take_shared(RateKind.FAILED_LOGIN, address)
            raise
        self._right[digest] = None
        if len(self._right) > MAX_RIGHT:
            del self._right[next(iter(self._right))]
        return principal


def _authorization(headers: Headers) -> str:
    """The header of that name, or what Nextcloud's AppAPI sends instead: a user and the secret of its backend, which is
    an API key here.
    """
    given = headers.get(APP_API)
    if given is None:
        return headers.get("authorization", "")
    with suppress(ValueError):
        return f"Bearer {b64decode(given, validate=True).decode().partition(':')[2]}"
    return ""


def _carries_key(authorization: str, settings: Settings) -> bool:
    """Whether a request that needs no key carries one: on loopback any bearer token but the word `none`; behind a proxy
    that lets in whom it should, which may have tokens of its own, only what looks like a key of Credence.
    """
    token = _token(authorization) or NO_KEY
    return token.startswith(keys.PREFIX) if settings.require_api_keys is False else token.lower() != NO_KEY


def _bearer(authorization: str) -> str:
    secret = _token(authorization)
    if not secret.startswith(keys.PREFIX):
        raise Unauthenticated(
            "Send an API key in the header `Authorization: Bearer crd_...`. Where none is needed, leave the header "
            f"out, or send the word `{NO_KEY}` from a client that insists on a key."
        )
    return secret


def _token(authorization: str) -> str:
    """The bearer token, empty without one."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
