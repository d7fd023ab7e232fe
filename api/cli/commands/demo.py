"""`credence demo`: the main job on the demo corpus, then the service on it."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Annotated

import typer

from api import processes
from api.cli.environment import Environment
from api.cli.estimation_progress import progress_shown, require_success
from api.cli.options import command
from api.cli.reports.demo import DemoReport
from api.cli.schema import bring_up_to_date
from api.demo.run import run_demo
from api.http.schemas.estimations import EstimationView
from api.http.schemas.events import EventView
from api.logs import configure_logging
from api.sockets import listening_on
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.events import store as events
from registry.platform.concurrency import run_concurrently
from registry.platform.enums import Trigger
from registry.platform.errors import SettingsError
from registry.platform.settings import Settings
from registry.runtime import Runtime

demo_app = typer.Typer(add_completion=False)

FOLDER = "demo"


@command(demo_app, corpus=False, json=False)
def demo(
    env: Environment,
    once: Annotated[bool, typer.Option("--once", help="Stop after printing, instead of running the service.")] = False,
) -> None:
    settings = demo_settings(env.local_settings())

    async def estimate(runtime: Runtime, corpus: Corpus, parameters: EstimationParameters) -> EstimationRun:
        async with runtime.database.begin() as session:
            active = await estimations.active(session, corpus)
        if active is not None and EstimationParameters.model_validate(active.parameters) != parameters:
            await estimation.run(runtime, active.id)  # One at a time: it was left by a demo that was interrupted.
            active = None
        run = active or await estimation.start(runtime, corpus, parameters, Trigger.COMMAND)
        with progress_shown(env.err) as show:
            await run_concurrently(estimation.run(runtime, run.id), _follow(runtime, run, show))
        async with runtime.database.begin() as session:
            ended = await estimations.get(session, corpus, run.id)
        require_success(EstimationView.of(ended))
        return ended

    async def run(listening: list[socket.socket]) -> None:
        async with env.open_runtime(settings) as runtime:
            report = DemoReport(env.out, runtime.require_reader().name)
            await run_demo(runtime, estimate, report)
            if not once:
                configure_logging(settings)
                await processes.serve(runtime, jobs=True, listening=listening, announce=report.print_url)

    with ExitStack() as stack:
        sockets = [] if once else stack.enter_context(_listening(settings))
        bring_up_to_date(settings, env.print_note)
        asyncio.run(run(sockets))


async def _follow(runtime: Runtime, run: EstimationRun, show: Callable[[EventView], None]) -> None:
    async for event in events.follow(runtime.database, run.id):
        show(EventView.model_validate(event))


def demo_settings(settings: Settings) -> Settings:
    """The settings in the environment, with a data folder of the demo's own."""
    return settings.model_copy(update={"data_dir": settings.data_dir / FOLDER})


@contextmanager
def _listening(settings: Settings) -> Iterator[list[socket.socket]]:
    """The port of the settings, or any free one if it is in use and was not set."""
    with ExitStack() as stack:
        try:
            sockets = stack.enter_context(listening_on(settings.host, settings.port))
        except SettingsError:
            if "port" in settings.model_fields_set:
                raise
            sockets = stack.enter_context(listening_on(settings.host, 0))
        yield sockets
