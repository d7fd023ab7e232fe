"""The processes of Credence: HTTP, jobs and schedules, or everything on one event loop."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator

import structlog
import uvicorn

from api.http.app import create_app
from api.sockets import BACKLOG, url_of
from registry.access import keys
from registry.errors import SettingsError
from registry.jobs.scheduler import run_scheduler
from registry.jobs.worker import run_worker
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

# What is under way at a stop may take this long; what a client needs longer for is cut off.
GRACE_SECONDS = 10
SIGNALS = (signal.SIGINT, signal.SIGTERM)

Work = Callable[[asyncio.Event], Awaitable[None]]


class Server(uvicorn.Server):
    """uvicorn that says when it is up, and leaves signals alone: it would end the process before the runtime closes."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[str], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        if sockets:
            self._announce(url_of(sockets[0]))

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `until_stopped`."""
        yield


async def serve(
    runtime: Runtime, *, jobs: bool, listening: list[socket.socket], announce: Callable[[str], None]
) -> None:
    """Answer HTTP, and do jobs and schedules too if `jobs`, until SIGINT or SIGTERM. Calls `announce` with the URL."""
    await require_keys(runtime)
    work: list[Work] = [lambda stop: _answer_http(runtime, listening, stop, announce)]
    if jobs:
        work += _job_loops(runtime)
    await until_stopped(work)


async def work(runtime: Runtime, *, announce: Callable[[], None]) -> None:
    """Do jobs and schedules until SIGINT or SIGTERM."""
    announce()
    await until_stopped(_job_loops(runtime))


def _job_loops(runtime: Runtime) -> list[Work]:
    return [lambda stop: run_worker(runtime, stop=stop), lambda stop: run_scheduler(runtime, stop=stop)]


async def until_stopped(work: list[Work]) -> None:
    """Run all of `work` until a signal comes or one of them ends; then let the others come to their end."""
    stop = asyncio.Event()

    async def watched(one: Work) -> None:
        try:
            await one(stop)
        finally:
            stop.set()

    with _stopping_on_signals(stop):
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(watched(one))


@contextlib.contextmanager
def _stopping_on_signals(stop: asyncio.Event) -> Iterator[None]:
    """The first signal stops gracefully, a second one ends the process as it would have without us."""
    loop = asyncio.get_running_loop()

    def begin_stop(received: signal.Signals) -> None:
        log.info("stopping", signal=received.name)
        stop.set()
        release()

    def release() -> None:
        for one in SIGNALS:
            loop.remove_signal_handler(one)

    for one in SIGNALS:
        loop.add_signal_handler(one, begin_stop, one)
    try:
        yield
    finally:
        release()


async def _answer_http(
    runtime: Runtime, listening: list[socket.socket], stop: asyncio.Event, announce: Callable[[str], None]
) -> None:
    config = uvicorn.Config(
        create_app(runtime.settings, runtime=runtime),
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = Server(config, announce)
    serving = asyncio.create_task(server.serve(sockets=listening))
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        server.should_exit = True
        stopped.cancel()
        await serving


async def require_keys(runtime: Runtime) -> None:
    """Raise `SettingsError` if others than this machine could reach a service that nobody holds a key for."""
    settings = runtime.settings
    if not settings.keys_required:
        if not settings.on_loopback:
            log.warning("open_to_everybody", host=settings.host, because="CREDENCE_REQUIRE_API_KEYS=false")
        return
    if settings.require_api_keys:
        return
    async with runtime.database.begin() as session:
        held = await keys.page(session, None, cursor=None, limit=1)
    if not held.items:
        raise SettingsError(
            f"On {settings.host} others can reach this service, so requests need API keys, and no operator holds one "
            "yet. Create one with `credence keys create NAME --operator --scope admin`, listen on 127.0.0.1, "
            "or set CREDENCE_REQUIRE_API_KEYS=false to let everybody in."
        )
