"""`credence serve`, `worker` and `mcp`, which stay until they are stopped."""

import asyncio
import socket
from contextlib import ExitStack
from typing import Annotated

import typer
from pydantic import Field

from answering.parameters import Parameters
from api import processes
from api.cli.environment import Environment
from api.cli.options import command
from api.cli.parameter_options import parameter_options
from api.cli.schema import bring_up_to_date
from api.logs import configure_logging
from api.mcp_server.access import AgentAccess
from api.mcp_server.server import build_server
from api.sockets import listening_on

NO_JOBS = (
    "Nobody does estimations, schedules and queued answers yet unless `credence worker` runs elsewhere; "
    "`serve --all` does them here."
)


class Addresses(Parameters):
    """Addresses to listen on instead of those of the settings."""

    host: str | None = None
    """Address to listen on instead of CREDENCE_HOST."""
    port: Annotated[int, Field(ge=0, le=65535)] | None = None
    """Port to listen on instead of CREDENCE_PORT; 0 is a free one."""
    metrics_port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Port for `/metrics` without an API key instead of CREDENCE_METRICS_PORT."""


@command("serve", corpus=False, json=False)
@parameter_options(Addresses)
def serve(
    env: Environment,
    given: Addresses,
    everything: Annotated[bool, typer.Option("--all", help="Also run jobs and schedules in this process.")] = False,
) -> None:
    settings = env.local_settings().model_copy(update=given.model_dump(exclude_none=True))
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


@command("worker", corpus=False, json=False)
def worker(env: Environment) -> None:
    settings = env.local_settings()
    configure_logging(settings)
    bring_up_to_date(settings, env.print_note)

    async def run() -> None:
        async with env.open_runtime(settings) as runtime:
            await processes.work(runtime, announce=lambda: env.announce("Working. Ctrl-C stops.", runtime))

    asyncio.run(run())


@command("mcp", json=False)
def mcp(env: Environment) -> None:
    settings = env.local_settings()
    configure_logging(settings)
    bring_up_to_date(settings, env.print_note)

    async def run() -> None:
        async with env.open_runtime(settings) as runtime:
            access = AgentAccess(runtime, default_corpus=env.corpus)
            await build_server(access).run_stdio_async()

    asyncio.run(run())
