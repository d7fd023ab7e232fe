"""`credence demo`: the main job on our own corpus, then the service on it."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Annotated

import typer

from api import processes
from api.cli.schema import bring_up_to_date
from api.cli.terminal import terminal_of
from api.demo.report import Report
from api.demo.run import run_demo
from api.logs import configure_logging
from api.sockets import listening_on
from registry.errors import SettingsError
from registry.settings import Settings

FOLDER = "demo"


def demo(
    ctx: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="End instead of leaving the service running.")] = False,
) -> None:
    """Show the whole road on a corpus about an island that does not exist, then leave the service running."""
    terminal = terminal_of(ctx)
    settings = demo_settings(terminal.load_settings())

    async def run(listening: list[socket.socket]) -> None:
        async with terminal.open_runtime(settings) as runtime:
            report = Report(terminal.out, runtime.require_reader().name)
            report.ended(await run_demo(runtime, terminal.err, report.steps()))
            if not once:
                configure_logging(settings)
                await processes.serve(runtime, jobs=True, listening=listening, announce=report.served)

    with ExitStack() as stack:
        sockets = [] if once else stack.enter_context(_listening(settings))
        bring_up_to_date(terminal, settings)
        asyncio.run(run(sockets))


def demo_settings(settings: Settings) -> Settings:
    """The settings in the environment, with a data folder of the demo's own."""
    return settings.model_copy(update={"data_dir": settings.data_dir / FOLDER})


@contextmanager
def _listening(settings: Settings) -> Iterator[list[socket.socket]]:
    """The port of the settings, or any free one where it is in use and nobody asked for it."""
    with ExitStack() as stack:
        try:
            sockets = stack.enter_context(listening_on(settings.host, settings.port))
        except SettingsError:
            if "port" in settings.model_fields_set:
                raise
            sockets = stack.enter_context(listening_on(settings.host, 0))
        yield sockets
