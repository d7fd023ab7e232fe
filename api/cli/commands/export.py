"""`credence export`: what a corpus holds, as a file."""

import asyncio
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from api.cli.environment import Environment
from api.cli.options import command
from api.export_formats import ExportFormat, encoded
from registry.errors import InvalidInput
from registry.store import corpora
from registry.store.exports import EXPORTS, ExportName, export_named, run_to_export

app = typer.Typer(add_completion=False)

TABLES = " ".join(f"{item.name}: {item.summary}" for item in EXPORTS)


@command(app, json=False)
def export(
    env: Environment,
    table: Annotated[ExportName, typer.Argument(help=TABLES)],
    file_format: Annotated[ExportFormat, typer.Option("--format", help="JSON Lines or CSV.")] = ExportFormat.JSONL,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write into this file.", show_default="standard output")
    ] = None,
    run_id: Annotated[
        UUID | None,
        typer.Option("--estimation", help="The run whose votes are exported.", show_default="the current one"),
    ] = None,
) -> None:
    async def write() -> None:
        async with env.open_database() as database:
            async with database.begin() as session:
                corpus = await corpora.get(session, env.corpus)
                estimation_id = await run_to_export(session, corpus, run_id)
            with ExitStack() as files:
                target = sys.stdout.buffer if output is None else files.enter_context(output.open("wb"))
                batches = export_named(table).batches(database, corpus.id, estimation_id)
                async for part in encoded(batches, file_format):
                    target.write(part)
                target.flush()

    try:
        asyncio.run(write())
    except OSError as error:
        raise InvalidInput(f"{output or 'Standard output'} cannot be written: {error.strerror}.") from error
