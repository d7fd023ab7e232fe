"""`credence migrate`: the schema of the database."""

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
from registry.platform.database import embedded
from registry.platform.database.engine import resolve_direct_url
from registry.platform.errors import SchemaOutdated
from registry.platform.settings import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False)

RevisionArgument = Annotated[str, typer.Argument(help="A revision, or a step such as -1; `base` is empty.")]


@command(app, corpus=False, json=False)
def upgrade(
    env: Environment,
    revision: Annotated[str, typer.Argument(help="The revision to stop at.")] = "head",
) -> None:
    """Upgrade the schema; safe to repeat."""
    url = resolve_direct_url(env.local_settings())
    before = control.current(url)
    control.upgrade(url, revision)
    _report(env, before, control.current(url))


@command(app, corpus=False, json=False, context_settings={"ignore_unknown_options": True})
def downgrade(env: Environment, revision: RevisionArgument) -> None:
    """Downgrade the schema. Data in what it removes are lost."""
    url = resolve_direct_url(env.local_settings())
    before = control.current(url)
    control.downgrade(url, revision)
    _report(env, before, control.current(url))


@command(app, corpus=False)
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


@command(app, corpus=False, json=False)
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
