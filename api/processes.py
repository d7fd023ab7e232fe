"""The processes that stay: the HTTP service, the worker with the scheduler, or all of them on one event loop."""

import asyncio
import contextlib
import gc
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

import structlog
import uvicorn

from api.sockets import BACKLOG, url_of
from estimator.errors import installing
from registry.events.audit import JOB, current_actor
from registry.jobs.scheduler import run_scheduler
from registry.jobs.worker import run_worker
from registry.keys import store as key_store
from registry.platform.errors import SettingsError
from registry.platform.settings import Settings
from registry.runtime import Runtime

if TYPE_CHECKING:
    from api.http.middleware.drain import Drain

log = structlog.get_logger(__name__)

# Of the time that a stop may take: what is left for closing connections, the database and models.
CLOSING_SECONDS = 1
# The time that requests have to finish when the service stops; then they get 503.
STOP_SECONDS = 20.0
SIGNALS = (signal.SIGINT, signal.SIGTERM)

# Runs until the event is set.
Service: TypeAlias = Callable[[asyncio.Event], Awaitable[None]]


class Server(uvicorn.Server):
    """A uvicorn server that calls `announce` when it is up and handles no signals.

    uvicorn would end the process on a signal before the runtime is closed.
    """

    def __init__(self, config: uvicorn.Config, announce: Callable[[str], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to answer requests."""
        await super().startup(sockets)
        # What was imported stays: to look through it again and again would take a fifth of a second of a long request.
        gc.collect()
        gc.freeze()
        if sockets:
            self._announce(url_of(sockets[0]))

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle none: `run_until_stopped` does."""
        yield


async def serve(
    runtime: Runtime, *, jobs: bool, listening: list[socket.socket], announce: Callable[[str], None]
) -> None:
    """Answer HTTP requests, and do jobs and schedules if `jobs`, until SIGINT or SIGTERM.

    Calls `announce` with the URL. Raises `SettingsError` if API keys are required and there is none.
    """
    await require_keys(runtime)
    configure_tracing(runtime.settings)
    services: list[Service] = [lambda stop: _answer_http(runtime, listening, stop, announce)]
    if jobs:
        services += _job_services(runtime)
    await run_until_stopped(services)


async def work(runtime: Runtime, *, announce: Callable[[], None]) -> None:
    """Do jobs and schedules until SIGINT or SIGTERM."""
    configure_tracing(runtime.settings)
    announce()
    await run_until_stopped(_job_services(runtime))


def configure_tracing(settings: Settings) -> None:
    """Trace this process if the settings name a collector; raises `SettingsError` where the libraries are missing."""
    if settings.tracing_endpoint is None:
        return
    try:
        from api.tracing import send_traces  # noqa: PLC0415  (needs an extra)
    except ImportError as error:
        raise SettingsError(f"Sending traces needs OpenTelemetry: {installing('tracing')}.") from error
    send_traces(str(settings.tracing_endpoint))


def _job_services(runtime: Runtime) -> list[Service]:
    return [lambda stop: run_worker(runtime, stop=stop), lambda stop: run_scheduler(runtime, stop=stop)]


async def run_until_stopped(services: list[Service]) -> None:
    """Run all services until a signal comes or one of them ends; then stop the others and wait for them."""
    # What jobs change is not done by who started the process.
    current_actor.set(JOB)
    stop = asyncio.Event()

    async def run(service: Service) -> None:
        try:
            await service(stop)
        finally:
            stop.set()

    with _stopping_on_signals(stop):
        async with asyncio.TaskGroup() as group:
            for service in services:
                group.create_task(run(service))


@contextlib.contextmanager
def _stopping_on_signals(stop: asyncio.Event) -> Iterator[None]:
    """The first signal sets `stop`; a second one has its default effect, which ends the process."""
    loop = asyncio.get_running_loop()

    def begin_stop(received: signal.Signals) -> None:
        log.info("stopping", signal=received.name)
        stop.set()
        release()

    def release() -> None:
        for number in SIGNALS:
            loop.remove_signal_handler(number)

    for number in SIGNALS:
        loop.add_signal_handler(number, begin_stop, number)
    try:
        yield
    finally:
        release()


async def _answer_http(
    runtime: Runtime, listening: list[socket.socket], stop: asyncio.Event, announce: Callable[[str], None]
) -> None:
    from api.app import create_app  # noqa: PLC0415  (a worker answers nothing over HTTP)
    from api.connections import BoundedProtocol  # noqa: PLC0415

    app = create_app(runtime.settings, runtime=runtime)
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=CLOSING_SECONDS,
        # Who may name addresses of clients escapes limits by address; uvicorn would trust all of 127.0.0.1.
        forwarded_allow_ips=os.environ.get("FORWARDED_ALLOW_IPS", ""),
    )
    server = Server(config, announce)
    serving = asyncio.create_task(server.serve(sockets=listening))
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
        drain: Drain = app.state.drain
        drain.begin()
        await drain.finish(STOP_SECONDS)
    finally:
        server.should_exit = True
        stopped.cancel()
        await serving


async def require_keys(runtime: Runtime) -> None:
    """Raise `SettingsError` if other machines can reach the service, and nobody signs in or has an operator's key."""
    settings = runtime.settings
    if not settings.keys_required:
        if not settings.on_loopback:
            log.warning("open_to_everybody", host=settings.host, because="CREDENCE_REQUIRE_API_KEYS=false")
        return
    if settings.require_api_keys or settings.oidc_issuer is not None:
        return
    async with runtime.database.begin() as session:
        operator_keys = await key_store.page(session, None, cursor=None, limit=1)
    if not operator_keys.items:
        raise SettingsError(
            f"On {settings.host} others can reach this service, so requests need API keys, and no operator holds one "
            "yet. Create one with `credence keys create NAME --operator --scope admin`, listen on 127.0.0.1, "
            "or set CREDENCE_REQUIRE_API_KEYS=false to let everybody in."
        )
