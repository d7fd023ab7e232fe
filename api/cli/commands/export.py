"""`credence export`: what a corpus holds, as a file."""

import asyncio
import sys
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from api.cli.environment import Environment
from api.cli.options import command
from api.export_formats import ExportFormat, encoded, write_parquet
from registry.errors import InvalidInput
from registry.store import corpora
from registry.store.exports import EXPORTS, ExportName, export_named, run_to_export

app = typer.Typer(add_completion=False)


class FileFormat(StrEnum):
    """The formats of a file."""

    JSONL = ExportFormat.JSONL.value
    CSV = ExportFormat.CSV.value
    PARQUET = "parquet"


TABLES = " ".join(f"{item.name}: {item.summary}" for item in EXPORTS)


@command(app, json=False)
def export(
    env: Environment,
    table: Annotated[ExportName, typer.Argument(help=TABLES)],
    file_format: Annotated[
        FileFormat, typer.Option("--format", help="JSON Lines or CSV; or Parquet, with --output.")
    ] = FileFormat.JSONL,
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
            chosen = export_named(table)
            batches = chosen.batches(database, corpus.id, estimation_id)
            if file_format is FileFormat.PARQUET:
                await write_parquet(batches, chosen.columns(), _named(output))
                return
            with ExitStack() as files:
                target = sys.stdout.buffer if output is None else files.enter_context(output.open("wb"))
                async for part in encoded(batches, ExportFormat(file_format.value)):
                    target.write(part)
                target.flush()

    try:
        asyncio.run(write())
    except OSError as error:
        raise InvalidInput(f"{output or 'Standard output'} cannot be written: {error.strerror}.") from error


def _named(output: Path | None) -> Path:
    if output is None:
        raise InvalidInput("A Parquet file cannot be written to standard output: name it with --output.")
    return output
