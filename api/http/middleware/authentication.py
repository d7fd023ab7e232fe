"""Authentication by API key, before anything of the body is read."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.authorization import set_principal
from api.http.error_responses import respond
from api.http.runtime_provider import RuntimeProvider
from estimator.errors import CredenceError
from registry.access import keys
from registry.access.keys import ANONYMOUS, Principal
from registry.errors import Unauthenticated

PROTECTED = "/v1/"
OPERATIONS = frozenset({"/metrics", "/docs", "/docs/oauth2-redirect", "/redoc", "/openapi.json"})
"""Needs a key, of any scope, unless the settings make them public."""


class Authentication:
    """Sets the principal of every request that needs an API key; anonymous where none are required."""

    def __init__(self, app: ASGIApp, provider: RuntimeProvider) -> None:
        self.app = app
        self._provider = provider

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._is_protected(scope["path"]):
            await self.app(scope, receive, send)
            return
        try:
            set_principal(scope, await self._principal(scope))
        except CredenceError as error:
            await respond(error, scope)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _is_protected(self, path: str) -> bool:
        is_operation = path in OPERATIONS and not self._provider.settings.public_operations
        return path.startswith(PROTECTED) or is_operation

    async def _principal(self, scope: Scope) -> Principal:
        if not self._provider.settings.keys_required:
            return ANONYMOUS
        secret = _bearer(Headers(scope=scope).get("authorization", ""))
        async with self._provider.runtime.database.begin() as session:
            return await keys.authenticate(session, secret)


def _bearer(authorization: str) -> str:
    scheme, _, secret = authorization.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip().startswith(keys.PREFIX):
        raise Unauthenticated("Send an API key in the header `Authorization: Bearer crd_...`.")
    return secret.strip()
