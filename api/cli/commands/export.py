"""`credence export`: what a corpus holds, as a file."""

import sys
from contextlib import ExitStack, closing
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from api.cli.environment import Environment
from api.cli.options import command
from api.client.nouns.corpora import export_table
from registry.platform.enums import ExportName
from registry.platform.errors import InvalidInput

app = typer.Typer(add_completion=False)


class FileFormat(StrEnum):
    """The formats of a file."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


TABLES = " ".join(f"{name}: {name.summary}" for name in ExportName)


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
    if file_format is FileFormat.PARQUET and output is None:
        raise InvalidInput("A Parquet file cannot be written to standard output: name it with --output.")
    call = export_table(table, format=file_format, estimation_id=run_id)
    with env.service() as service, ExitStack() as files:
        parts = files.enter_context(closing(service.download(call)))
        # What is refused leaves a file as it is.
        first = next(parts, b"")
        try:
            target = sys.stdout.buffer if output is None else files.enter_context(output.open("wb"))
            target.writelines(chain([first], parts))
            target.flush()
        except OSError as error:
            raise InvalidInput(f"{output or 'Standard output'} cannot be written: {error.strerror}.") from error
