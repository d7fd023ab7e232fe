"""`credence migrate`, `backup` and `restore`: the database as a whole."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from api.cli.environment import Environment
from api.cli.options import command
from api.cli.output import print_json
from migrations import control
from registry.jobs import failures
from registry.platform.database import backup as backups
from registry.platform.database import embedded
from registry.platform.database.engine import resolve_direct_url
from registry.platform.database.restore import restore as restore_backup
from registry.platform.errors import SchemaOutdated
from registry.platform.settings import Settings

RevisionArgument = Annotated[str, typer.Argument(help="A revision, or a step such as -1; `base` is empty.")]


@command("migrate", corpus=False, json=False)
def upgrade(
    env: Environment,
    revision: Annotated[str, typer.Argument(help="The revision to stop at.")] = "head",
) -> None:
    """Upgrade the schema; safe to repeat."""
    url = resolve_direct_url(env.local_settings())
    before = control.current(url)
    control.upgrade(url, revision)
    _report(env, before, control.current(url))


@command("migrate", corpus=False, json=False, context_settings={"ignore_unknown_options": True})
def downgrade(env: Environment, revision: RevisionArgument) -> None:
    """Downgrade the schema. Data in what it removes are lost."""
    url = resolve_direct_url(env.local_settings())
    before = control.current(url)
    control.downgrade(url, revision)
    _report(env, before, control.current(url))


@command("migrate", corpus=False)
def current(env: Environment) -> None:
    """Print the revision of the database. Status 1 if this version does not run on it."""
    schema, head = control.read_schema(resolve_direct_url(env.local_settings())), control.head()
    is_current = schema.revision == head
    if env.as_json:
        print_json(
            {"revision": schema.revision, "head": head, "current": is_current, "oldest_code": schema.oldest_code}
        )
    else:
        env.out.print(f"{schema.revision or 'empty'}{' (current)' if is_current else ''}", markup=False)
    try:
        control.require_runnable(schema)
    except SchemaOutdated as error:
        if env.as_json:
            raise typer.Exit(1) from error
        raise


@command("migrate", corpus=False, json=False)
def check(env: Environment) -> None:
    """Check that models and migrations agree; without DATABASE_URL on a temporary database.

    There it proves too that the oldest code that the schema declares runs on it.
    """
    settings = env.local_settings()
    with _checked_database(settings) as checked:
        url = resolve_direct_url(checked)
        control.check(url)
        if settings.database_url is None:
            oldest = control.check_compatibility(url)
            env.out.print(f"Code of revision {oldest} and newer runs on the schema.", markup=False)
    env.out.print("Models and migrations agree.")


@contextmanager
def _checked_database(settings: Settings) -> Iterator[Settings]:
    if settings.database_url is not None:
        yield settings
        return
    with tempfile.TemporaryDirectory(prefix="credence-", ignore_cleanup_errors=True) as folder:
        temporary = settings.model_copy(update={"data_dir": Path(folder)})
        try:
            control.upgrade(resolve_direct_url(temporary))
            yield temporary
        finally:
            embedded.stop(temporary.data_dir)


def _report(env: Environment, before: str | None, after: str | None) -> None:
    if before == after:
        env.out.print(f"The schema was at {after or 'base'} already.", markup=False)
    else:
        env.out.print(f"The schema went from {before or 'empty'} to {after or 'empty'}.", markup=False)


@command("backup", corpus=False)
def backup(
    env: Environment,
    file: Annotated[Path, typer.Argument(help="The file to write, replaced when the backup is complete.")],
) -> None:
    settings = env.local_settings()
    manifest = backups.back_up(resolve_direct_url(settings), file, settings.backup_key)
    env.print_result(manifest, f"Backed up {manifest.rows:,} rows of {len(manifest.tables)} tables to {file}.")


@command("restore", corpus=False)
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
