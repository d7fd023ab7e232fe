"""`credence backup`: the whole database in one file."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.environment import Environment
from api.cli.options import command
from registry.platform.database import backup as backups
from registry.platform.database.engine import resolve_direct_url

app = typer.Typer(add_completion=False)


@command(app, corpus=False)
def backup(
    env: Environment,
    file: Annotated[Path, typer.Argument(help="The file to write, replaced when the backup is complete.")],
) -> None:
    settings = env.local_settings()
    manifest = backups.back_up(resolve_direct_url(settings), file, settings.backup_key)
    env.print_result(manifest, f"Backed up {manifest.rows:,} rows of {len(manifest.tables)} tables to {file}.")
