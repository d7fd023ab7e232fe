"""`credence restore`: the database as it was backed up."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.environment import Environment
from api.cli.options import command
from migrations import control
from registry.jobs import failures
from registry.platform.database import backup as backups
from registry.platform.database.engine import resolve_direct_url
from registry.platform.database.restore import restore as restore_backup

app = typer.Typer(add_completion=False)


@command(app, corpus=False)
def restore(
    env: Environment,
    file: Annotated[Path, typer.Argument(help="A file that `credence backup` wrote.")],
    check: Annotated[bool, typer.Option("--check", help="Only verify the file.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Delete what is in the database first.")] = False,
) -> None:
    settings = env.local_settings()
    manifest = backups.check(file, settings.backup_key)
    if check:
        env.print_result(manifest, f"{file} is whole: {manifest.rows:,} rows of {len(manifest.tables)} tables.")
        return
    control.require_known(manifest.revision)
    url, key = resolve_direct_url(settings), settings.backup_key
    restore_backup(url, file, control.build, failures.pause, key=key, replace=replace)
    env.print_result(
        manifest, f"Restored {manifest.rows:,} rows of {len(manifest.tables)} tables; all checksums agree."
    )
    if key is None:
        env.print_note(
            "As CREDENCE_BACKUP_KEY did not sign it, schedules and webhooks are switched off, and unfinished jobs "
            "ended. The API keys in it are valid: see `credence keys`."
        )
    if manifest.revision != control.head():
        env.print_note("The backup is of an older version: run `credence migrate upgrade`.")
