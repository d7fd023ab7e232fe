"""`credence serve` and `credence worker`: the processes that stay."""

import asyncio
import socket
from typing import Annotated

import typer
from rich.text import Text

from api import processes
from api.cli.schema import bring_up_to_date
from api.cli.terminal import Terminal, terminal_of
from api.logs import configure_logging
from api.sockets import listening_on
from registry.settings import Settings


def serve(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Do jobs and schedules too, in this one process.")] = False,
    host: Annotated[str | None, typer.Option(help="Address to listen on instead of CREDENCE_HOST.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on instead of CREDENCE_PORT; 0 is a free one.")
    ] = None,
) -> None:
    """Answer HTTP requests until stopped."""
    terminal = terminal_of(ctx)
    settings = terminal.load_settings()
    chosen = {name: value for name, value in {"host": host, "port": port}.items() if value is not None}
    run_service(terminal, settings.model_copy(update=chosen), jobs=everything)


def worker(ctx: typer.Context) -> None:
    """Do jobs and watch schedules until stopped."""
    terminal = terminal_of(ctx)
    settings = terminal.load_settings()
    configure_logging(settings)
    bring_up_to_date(terminal, settings)

    async def run() -> None:
        async with terminal.open_runtime(settings) as runtime:
            await processes.work(runtime, announce=lambda: _say(terminal, "Working. Ctrl-C stops.", runtime.reader))

    asyncio.run(run())


def run_service(terminal: Terminal, settings: Settings, *, jobs: bool) -> None:
    """Serve with these settings until stopped."""
    configure_logging(settings)
    with_jobs = ", with jobs and schedules" if jobs else "; `credence worker` does the jobs"

    async def run(listening: list[socket.socket]) -> None:
        async with terminal.open_runtime(settings) as runtime:
            await processes.serve(
                runtime,
                jobs=jobs,
                listening=listening,
                announce=lambda url: _say(terminal, f"Serving {url}{with_jobs}. Ctrl-C stops.", runtime.reader),
            )

    with listening_on(settings.host, settings.port) as listening:
        bring_up_to_date(terminal, settings)
        asyncio.run(run(listening))


def _say(terminal: Terminal, text: str, reader: object) -> None:
    terminal.err.print(Text(text, style="bold"), soft_wrap=True)
    if reader is None:
        terminal.err.print(Text("No reader is configured: set CREDENCE_READER to estimate and answer."), soft_wrap=True)
