"""A POST with an Idempotency-Key is done once: whoever repeats it gets the first response again."""

import asyncio
import hashlib
import re
from datetime import timedelta
from urllib.parse import quote

import structlog
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.auth import principal_of
from api.http.connection import Connection
from api.http.failures import respond
from api.http.middleware.body_limit import IMPORT_SUFFIX
from estimator.errors import CredenceError
from registry.errors import InvalidInput
from registry.store import idempotency
from registry.store.idempotency import RequestKey, StoredResponse

log = structlog.get_logger(__name__)

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
SECRET_SUFFIX = "/keys"  # noqa: S105  (a path)
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
# The index of the table takes entries up to 2,700 bytes.
_LONGEST_PATH = 1000


class Idempotency:
    """Stores the responses to POSTs by key, for a day; imports are idempotent by themselves and left alone.

    The making of an API key is refused: its response holds a secret, which is stored nowhere.

    A response 5xx, a conflict and a limit, which may be gone the next time, are not stored: the request can be tried
    again.
    """

    def __init__(self, app: ASGIApp, connection: Connection) -> None:
        self.app = app
        self._connection = connection
        # Claims of failed requests that could not be given back, as the database was away.
        self._unreleased: set[RequestKey] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = _key(scope)
        if key is None:
            await self.app(scope, receive, send)
            return
        try:
            response = await self._once(scope, receive, key)
        except CredenceError as error:
            response = respond(error, scope)
        except ClientDisconnect:
            return
        await response(scope, receive, send)

    async def _once(self, scope: Scope, receive: Receive, key: str) -> Response:
        if not _KEY.fullmatch(key):
            raise InvalidInput(f"An {HEADER} is 1 to 255 printable ASCII characters without spaces.")
        if scope["path"].endswith(SECRET_SUFFIX):
            raise InvalidInput(f"An API key is shown once and stored nowhere, so that {HEADER} cannot be kept here.")
        body = await Request(scope, receive).body()
        claim = RequestKey(_scope_of(scope), key, _hash(scope, body))
        stored = await self._claim(claim)
        return await self._run(scope, body, claim) if stored is None else _replay(stored)

    async def _claim(self, claim: RequestKey) -> StoredResponse | None:
        patience = timedelta(seconds=max(600, 2 * self._connection.settings.answer_timeout_seconds))
        async with self._connection.runtime.database.begin() as session:
            if claim in self._unreleased:
                await idempotency.release(session, claim)
            found = await idempotency.reserve(session, claim, abandoned_after=patience)
        self._unreleased.discard(claim)
        return found

    async def _run(self, scope: Scope, body: bytes, claim: RequestKey) -> Response:
        captured = _Captured(body)
        try:
            await self.app(scope, captured.receive, captured.send)
        finally:
            await self._settle(claim, captured)
        return captured.response()

    async def _settle(self, claim: RequestKey, captured: "_Captured") -> None:
        try:
            async with self._connection.runtime.database.begin() as session:
                if captured.is_final:
                    await idempotency.store(session, claim, captured.stored())
                else:
                    await idempotency.release(session, claim)
        except CredenceError as error:
            # What was done is done: its response must reach the client all the same.
            log.warning("idempotency_not_settled", why=str(error))
            if not captured.is_final:
                self._unreleased.add(claim)


class _Captured:
    """Plays a body that was read already, and keeps the response instead of sending it."""

    def __init__(self, body: bytes) -> None:
        self._request: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        self._body = bytearray()
        self._headers: list[tuple[bytes, bytes]] = []
        self.status = 500

    @property
    def is_final(self) -> bool:
        """Whether the same request would always be answered like this."""
        return self.status < 500 and self.status not in {409, 429}

    async def receive(self) -> Message:
        if self._request:
            return self._request.pop()
        # Whether the client is still there does not matter: what is done for it is kept.
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self._headers = message["status"], message["headers"]
        else:
            self._body += message.get("body", b"")

    def stored(self) -> StoredResponse:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in self._headers}
        headers.pop("content-length", None)
        return StoredResponse(self.status, headers, bytes(self._body))

    def response(self) -> Response:
        stored = self.stored()
        return Response(stored.body, stored.status, dict(stored.headers))


def _key(scope: Scope) -> str | None:
    if scope["type"] != "http" or scope["method"] != "POST" or scope["path"].endswith(IMPORT_SUFFIX):
        return None
    return Headers(scope=scope).get(HEADER)


def _scope_of(scope: Scope) -> str:
    principal = principal_of(scope)
    path = quote(scope["path"].encode("utf-8", "replace"))
    if len(path) > _LONGEST_PATH:
        path = hashlib.sha256(path.encode()).hexdigest()
    return f"{principal.key_id or principal.name} POST {path}"


def _hash(scope: Scope, body: bytes) -> bytes:
    content_type = Headers(scope=scope).get("content-type", "").encode()
    return hashlib.sha256(b"\0".join([content_type, scope["query_string"], body])).digest()


def _replay(stored: StoredResponse) -> Response:
    return Response(stored.body, stored.status, {**stored.headers, REPLAYED: "true"})
