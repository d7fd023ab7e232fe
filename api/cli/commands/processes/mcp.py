"""`credence mcp`: the tools of agents over standard input and output."""

import asyncio

import typer

from api.cli.environment import Environment
from api.cli.options import command
from api.cli.schema import bring_up_to_date
from api.logs import configure_logging
from api.mcp_server.access import AgentAccess
from api.mcp_server.server import build_server

app = typer.Typer(add_completion=False)


@command(app, json=False)
def mcp(env: Environment) -> None:
    settings = env.local_settings()
    configure_logging(settings)
    bring_up_to_date(settings, env.print_note)

    async def run() -> None:
        async with env.open_runtime(settings) as runtime:
            access = AgentAccess(runtime, default_corpus=env.corpus)
            await build_server(access).run_stdio_async()

    asyncio.run(run())
