"""`credence worker`: jobs and schedules."""

import asyncio

import typer

from api import processes
from api.cli.environment import Environment
from api.cli.options import command
from api.cli.schema import bring_up_to_date
from api.logs import configure_logging

app = typer.Typer(add_completion=False)


@command(app, corpus=False, json=False)
def worker(env: Environment) -> None:
    settings = env.local_settings()
    configure_logging(settings)
    bring_up_to_date(settings, env.print_note)

    async def run() -> None:
        async with env.open_runtime(settings) as runtime:
            await processes.work(runtime, announce=lambda: env.announce("Working. Ctrl-C stops.", runtime))

    asyncio.run(run())
