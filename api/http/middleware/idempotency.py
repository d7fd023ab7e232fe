"""A POST with an Idempotency-Key is done once; when it is repeated, the first response is sent again."""

import asyncio
import hashlib
import json
import re
from datetime import timedelta
from urllib.parse import quote

import structlog
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.authorization import principal_of
from api.http.error_responses import respond
from api.http.middleware.authentication import AGENTS, PROTECTED
from api.http.middleware.body_limit import IMPORT_SUFFIX
from api.http.streaming.spool import Spool
from estimator.errors import CredenceError
from registry.platform.database import idempotency
from registry.platform.database.idempotency import RequestKey, StoredResponse
from registry.platform.errors import InvalidInput
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
SECRET_SUFFIXES = ("/keys", "/secrets", "/webhooks", "/shares", "/watches")
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
# The index of the table takes entries up to 2,700 bytes.
_MAX_PATH = 1000


class Idempotency:
    """Stores the responses to POSTs by key, for a day; imports, which are idempotent by themselves, are passed on.

    Only requests that authentication has let in are looked at, and their bodies are kept on disk beyond a megabyte.
    Pages take no keys: their responses hold cookies of sessions. A key on a request for a new API key, webhook or link
    is refused, as the response holds a secret. Responses with a status of 5xx, 409 or 429 are not stored, as
    the next attempt may succeed.
    """

    def __init__(self, app: ASGIApp, runtime: Runtime) -> None:
        self.app = app
        self._runtime = runtime
        # Keys of failed requests that could not be released, as the database was unavailable.
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
        if scope["path"].endswith(SECRET_SUFFIXES):
            raise InvalidInput(
                f"The response holds a secret, which is shown once, so that {HEADER} cannot be kept here."
            )
        with Spool() as body:
            request = RequestKey(_scope_of(scope), key, await _read(scope, receive, body))
            stored = await self._reserve(request)
            return await self._process(scope, body, request) if stored is None else _replay(stored)

    async def _reserve(self, request: RequestKey) -> StoredResponse | None:
        abandoned_after = timedelta(seconds=max(600, 2 * self._runtime.settings.answer_timeout_seconds))
        async with self._runtime.database.begin() as session:
            if request in self._unreleased:
                await idempotency.release(session, request)
            stored = await idempotency.reserve(session, request, abandoned_after=abandoned_after)
        self._unreleased.discard(request)
        return stored

    async def _process(self, scope: Scope, body: Spool, request: RequestKey) -> Response:
        exchange = _RecordedExchange(body)
        try:
            await self.app(scope, exchange.receive, exchange.send)
        finally:
            await self._store_or_release(request, exchange)
        return exchange.response()

    async def _store_or_release(self, request: RequestKey, exchange: "_RecordedExchange") -> None:
        try:
            async with self._runtime.database.begin() as session:
                if exchange.is_final:
                    await idempotency.store(session, request, exchange.stored())
                else:
                    await idempotency.release(session, request)
        except CredenceError as error:
            # The work is done, so that its response must reach the client all the same.
            log.warning("idempotency_key_not_stored", why=error)
            if not exchange.is_final:
                self._unreleased.add(request)


class _RecordedExchange:
    """Gives the application a body that was read already, and records the response instead of sending it."""

    def __init__(self, body: Spool) -> None:
        self._request = body.chunks()
        self._is_read = False
        self._body = bytearray()
        self._headers: list[tuple[bytes, bytes]] = []
        self.status = 500

    @property
    def is_final(self) -> bool:
        """Whether the response may be stored."""
        return self.status < 500 and self.status not in {409, 429}

    async def receive(self) -> Message:
        if not self._is_read:
            chunk = await anext(self._request, b"")
            self._is_read = not chunk
            return {"type": "http.request", "body": chunk, "more_body": bool(chunk)}
        # The client may disconnect: as the response is stored, the work goes on.
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
    is_authenticated = scope["path"].startswith(PROTECTED) or scope["path"] == AGENTS
    return Headers(scope=scope).get(HEADER) if is_authenticated else None


def _scope_of(scope: Scope) -> str:
    principal = principal_of(scope)
    path = quote(scope["path"].encode("utf-8", "replace"))
    if len(path) > _MAX_PATH:
        path = hashlib.sha256(path.encode()).hexdigest()
    groups = principal.viewer.stored
    # What one group gets is not sent to another.
    on_behalf = "" if groups is None else f" for {hashlib.sha256(json.dumps(groups).encode()).hexdigest()}"
    return f"{principal.key_id or principal.name}{on_behalf} POST {path}"


async def _read(scope: Scope, receive: Receive, body: Spool) -> bytes:
    """Read the body, and give the hash of the request."""
    content_type = Headers(scope=scope).get("content-type", "").encode()
    digest = hashlib.sha256(b"\0".join([content_type, scope["query_string"], b""]))
    async for chunk in Request(scope, receive).stream():
        digest.update(chunk)
        body.write(chunk)
    body.end()
    return digest.digest()


def _replay(stored: StoredResponse) -> Response:
    return Response(stored.body, stored.status, {**stored.headers, REPLAYED: "true"})
