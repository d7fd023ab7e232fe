"""The service within this process, for commands that name no other: its routes, handed requests without a socket."""

import asyncio
import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import Message, Receive, Scope, Send

from api.cli.schema import bring_up_to_date
from api.client.clients import Client
from api.http import routes
from api.http.authorization import set_local_principal
from registry.platform.errors import InvalidInput, Unavailable
from registry.platform.settings import Settings
from registry.runtime import Runtime

# Modules of routes that are called otherwise than what their paths have.
_MODULES = {
    "conflict-scores": ("conflict_scores",),
    "consensus": ("votes",),
    "disputes": ("estimations",),
    "joined-answers": ("queries",),
    "query-generations": ("queries",),
    "ratings": ("sources",),
    "shares": ("answers",),
    "votes": ("misreadings", "votes"),
}
_NOUNS = {path.stem for path in Path(routes.__path__[0]).glob("[a-z]*.py")}
ADDRESS = "http://credence"
RETRY_SECONDS = 1.0
UNLIMITED_BYTES = 2**62


@contextmanager
def opened(
    settings: Settings,
    open_runtime: Callable[[Settings], AbstractAsyncContextManager[Runtime]],
    say: Callable[[str], None],
    user: str,
) -> Iterator[tuple[Client, "Worker"]]:
    """The service and what does its jobs, while the block lasts; an embedded database that is empty is set up."""
    bring_up_to_date(settings, say, only_empty=True)
    unlimited = settings.model_copy(update={"max_import_bytes": UNLIMITED_BYTES})
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(open_runtime(unlimited)) as runtime,
        Client(ADDRESS, transport=InProcessTransport(LocalApp(runtime, user), portal), timeout=None) as client,
    ):
        yield client, Worker(runtime, portal)


class LocalApp:
    """The routes of the service for the user of this machine, imported when they are asked for.

    There is none of the middleware: nobody else sends requests. Errors are raised to the caller.
    """

    def __init__(self, runtime: Runtime, user: str) -> None:
        self._app = FastAPI(openapi_url=None, redirect_slashes=False)
        self._app.state.runtime = runtime
        # Nobody asks a command for its metrics.
        self._app.state.metrics = SimpleNamespace(count_answer=lambda _result: None)
        self._app.add_exception_handler(RequestValidationError, _raise_own)
        self._app.add_exception_handler(HTTPException, _raise_own)
        self._user = user
        self._mounted: set[str] = set()

    @property
    def routes(self) -> Sequence[BaseRoute]:
        return self._app.router.routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.mount(scope["path"])
        set_local_principal(scope, self._user)
        await self._app(scope, receive, send)

    def mount(self, path: str) -> None:
        """Add the routes of the nouns in a path."""
        words = re.split("[/:]", path)
        nouns = {module for word in words for module in _MODULES.get(word, (word,))} & _NOUNS
        for noun in sorted(nouns - self._mounted):
            module = importlib.import_module(f"api.http.routes.{noun}")
            for router in vars(module).values():
                if isinstance(router, APIRouter):
                    self._app.router.routes.extend(router.routes)
        self._mounted |= nouns


async def _raise_own(request: Request, error: Exception) -> Response:
    """Raise what the framework itself refuses as an error of the registry."""
    if isinstance(error, HTTPException) and error.status_code < httpx.codes.BAD_REQUEST:
        return Response(status_code=error.status_code)
    faults = error.errors() if isinstance(error, RequestValidationError) else ()
    why = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults)
    raise InvalidInput(f"{request.method} {request.url.path} is not valid. {why}".rstrip()) from error


class InProcessTransport(httpx.BaseTransport):
    """Hands requests to an application on the event loop of a portal, and responses back while they are made.

    `httpx.ASGITransport` has the whole of a response before it hands on the beginning.
    """

    def __init__(self, app: LocalApp, portal: BlockingPortal) -> None:
        self._app = app
        self._portal = portal

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The response; raises what the application raises before there is one."""
        exchange = _Exchange(self._app, request)
        status, headers = self._portal.call(exchange.begin)
        return httpx.Response(status, headers=headers, stream=_Body(exchange, self._portal))


class _Body(httpx.SyncByteStream):
    def __init__(self, exchange: "_Exchange", portal: BlockingPortal) -> None:
        self._exchange = exchange
        self._portal = portal

    def __iter__(self) -> Iterator[bytes]:
        while (chunk := self._portal.call(self._exchange.chunk)) is not None:
            yield chunk

    def close(self) -> None:
        # A portal that was stopped has ended the exchange.
        with suppress(RuntimeError):
            self._portal.call(self._exchange.close)


class _Exchange:
    """A request under way in the application."""

    def __init__(self, app: LocalApp, request: httpx.Request) -> None:
        assert isinstance(request.stream, httpx.SyncByteStream)  # noqa: S101  (httpx.Client makes no other)
        self._app = app
        self._scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.url.scheme,
            "path": request.url.path,
            "raw_path": request.url.raw_path.partition(b"?")[0],
            "query_string": request.url.query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
        }
        self._sent = iter(request.stream)
        self._is_sent = False
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue()

    async def begin(self) -> tuple[int, list[tuple[bytes, bytes]]]:
        """Status and headers."""
        self._task = asyncio.create_task(self._run())
        start = await self._messages.get()
        if start is None or start["status"] == httpx.codes.INTERNAL_SERVER_ERROR:
            # Starlette answers before it raises what went wrong.
            await self._task
            raise RuntimeError("The application made no response.")
        return start["status"], start["headers"]

    async def chunk(self) -> bytes | None:
        """The next part of the body; None behind the last."""
        message = await self._messages.get()
        if message is None:
            await self._task
            return None
        body: bytes = message.get("body", b"")
        return body

    async def close(self) -> None:
        """End the work, if it goes on."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        try:
            await self._app(self._scope, self._receive, self._messages.put)
        finally:
            await self._messages.put(None)

    async def _receive(self) -> Message:
        if self._is_sent:
            await asyncio.Event().wait()
        chunk = next(self._sent, None)
        self._is_sent = chunk is None
        return {"type": "http.request", "body": chunk or b"", "more_body": not self._is_sent}


class Worker:
    """Does jobs in this process, as `credence worker` would."""

    def __init__(self, runtime: Runtime, portal: BlockingPortal) -> None:
        self._runtime = runtime
        self._portal = portal

    @contextmanager
    def on(self, job: str, subject_id: UUID) -> Iterator[None]:
        """Work on a job of this kind while the block lasts, and take it over should a worker elsewhere die."""
        from registry.jobs.kinds import KINDS  # noqa: PLC0415  (imports all that jobs do)

        kind = next(kind for kind in KINDS if kind.job.name == job)

        async def work() -> None:
            while True:
                # As a worker that finds the database away; what else goes wrong is the end of the job, which says so.
                with suppress(Unavailable):
                    await kind.run(self._runtime, subject_id)
                await asyncio.sleep(RETRY_SECONDS)

        working = self._portal.start_task_soon(work)
        try:
            yield
        finally:
            working.cancel()
