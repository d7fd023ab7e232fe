"""Who sends a request, found out before anything of its body is read."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.auth import set_principal
from api.http.connection import Connection
from api.http.failures import respond
from estimator.errors import CredenceError
from registry.access import keys
from registry.access.keys import ANONYMOUS, Principal
from registry.errors import Unauthenticated

PROTECTED = "/v1/"


class Authentication:
    """Looks up the API key of every request under /v1; elsewhere, and where keys are off, all are anonymous."""

    def __init__(self, app: ASGIApp, connection: Connection) -> None:
        self.app = app
        self._connection = connection

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PROTECTED):
            await self.app(scope, receive, send)
            return
        try:
            set_principal(scope, await self._principal(scope))
        except CredenceError as error:
            await respond(error, scope)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    async def _principal(self, scope: Scope) -> Principal:
        if not self._connection.settings.keys_required:
            return ANONYMOUS
        secret = _bearer(Headers(scope=scope).get("authorization", ""))
        async with self._connection.runtime.database.begin() as session:
            return await keys.authenticate(session, secret)


def _bearer(authorization: str) -> str:
    scheme, _, secret = authorization.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip().startswith(keys.PREFIX):
        raise Unauthenticated("Send an API key in the header `Authorization: Bearer crd_...`.")
    return secret.strip()
