"""`credence serve`, `worker` and `mcp`, which stay until they are stopped."""

import asyncio
import socket
from contextlib import ExitStack
from typing import Annotated

import typer

from api import processes
from api.cli.environment import Environment
from api.cli.options import command
from api.cli.schema import bring_up_to_date
from api.logs import configure_logging
from api.mcp_server.access import AgentAccess
from api.mcp_server.server import build_server
from api.sockets import listening_on

serve_app = typer.Typer(add_completion=False)
NO_JOBS = (
    "Nobody does estimations, schedules and queued answers yet unless `credence worker` runs elsewhere; "
    "`serve --all` does them here."
)


@command(serve_app, corpus=False, json=False)
def serve(
    env: Environment,
    everything: Annotated[bool, typer.Option("--all", help="Also run jobs and schedules in this process.")] = False,
    host: Annotated[str | None, typer.Option(help="Address to listen on instead of CREDENCE_HOST.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on instead of CREDENCE_PORT; 0 is a free one.")
    ] = None,
    metrics_port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port for `/metrics` without an API key instead of CREDENCE_METRICS_PORT."),
    ] = None,
) -> None:
    given = {"host": host, "port": port, "metrics_port": metrics_port}
    overrides = {name: value for name, value in given.items() if value is not None}
    settings = env.local_settings().model_copy(update=overrides)
    configure_logging(settings)
    jobs = "Jobs and schedules are done here too." if everything else NO_JOBS

    async def run(listening: list[socket.socket]) -> None:
        async with env.open_runtime(settings) as runtime:
            await processes.serve(
                runtime,
                jobs=everything,
                listening=listening,
                announce=lambda url: env.announce(f"Serving {url}. {jobs} Ctrl-C stops.", runtime),
            )

    with ExitStack() as stack:
        listening = stack.enter_context(listening_on(settings.host, settings.port))
        if settings.metrics_port is not None:
            scraped = listening_on(settings.host, settings.metrics_port, setting="CREDENCE_METRICS_PORT")
            listening += stack.enter_context(scraped)
        bring_up_to_date(settings, env.print_note)
        asyncio.run(run(listening))


worker_app = typer.Typer(add_completion=False)


@command(worker_app, corpus=False, json=False)
def worker(env: Environment) -> None:
    settings = env.local_settings()
    configure_logging(settings)
    bring_up_to_date(settings, env.print_note)

    async def run() -> None:
        async with env.open_runtime(settings) as runtime:
            await processes.work(runtime, announce=lambda: env.announce("Working. Ctrl-C stops.", runtime))

    asyncio.run(run())


mcp_app = typer.Typer(add_completion=False)


@command(mcp_app, json=False)
def mcp(env: Environment) -> None:
    settings = env.local_settings()
    configure_logging(settings)
    bring_up_to_date(settings, env.print_note)

    async def run() -> None:
        async with env.open_runtime(settings) as runtime:
            access = AgentAccess(runtime, default_corpus=env.corpus)
            await build_server(access).run_stdio_async()

    asyncio.run(run())
