"""The command `credence`: the list of its commands, each imported when it is used."""

import gc
import os
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from estimator.errors import DISTRIBUTION


class Command(NamedTuple):
    """A command: its module, its help, and the panel of the help that it stands in."""

    name: str
    module: str
    summary: str
    panel: str


# The summaries stand here and not in the modules, so that `credence --help` imports none of them.
_PANELS = {
    "Work": (
        ("ingest", "documents", "Add new and changed documents to one source or to many."),
        ("connectors", "connectors", "Keep documents in step with folders, tables, feeds and web sites."),
        ("estimate", "estimations", "Estimate the reliability of all sources, or continue an estimation."),
        ("search", "documents", "Search the passages of all sources, ranked by relevance and reliability."),
        ("ask", "answers", "Answer a question, and show what each source says."),
        ("conflict", "answers", "Compare a response with documents, and show which claims they dispute."),
        ("eval", "eval", "Evaluate methods, confidence and reliabilities against the gold answers of your queries."),
    ),
    "Run": (
        ("demo", "demo", "Show Credence on a small example corpus, then run the service."),
        ("serve", "processes", "Run the HTTP service."),
        ("mcp", "processes", "Run an MCP server on standard input and output, for agents."),
        ("worker", "processes", "Run jobs and schedules."),
        ("nextcloud", "nextcloud", "Do what Nextcloud's Context Chat has its backend fetch."),
        ("migrate", "database", "Upgrade, downgrade or inspect the database schema."),
        ("backup", "database", "Write a consistent backup of the database to a file."),
        ("restore", "database", "Restore a backup and verify it."),
        ("embed", "embedding", "Embed all passages anew with the embedder of the settings."),
    ),
    "Look and change": (
        ("sources", "sources", "List, register, change, rate and override sources."),
        ("documents", "documents", "List, show and delete documents of a source."),
        ("misreadings", "misreadings", "List, confirm and reject suspected misreadings."),
        ("export", "documents", "Export sources, reliabilities, votes, misreadings or answers to a file."),
        ("queries", "queries", "List, add, import, generate and change the queries that sources are compared on."),
        ("votes", "votes", "Import, list and delete votes without documents, and show what they agree on."),
        ("gold", "gold", "Add, replace and undo gold answers of queries."),
        ("joins", "joins", "List, add and undo wordings of answers that count as one."),
        ("answers", "answers", "List, show and share earlier answers."),
        ("estimations", "estimations", "List and show estimation runs."),
        ("schedules", "schedules", "List, add, change and remove schedules. A worker starts them on time."),
        ("corpora", "corpora", "List, add, change and delete corpora."),
        ("keys", "keys", "Create, list, change, rotate and revoke API keys."),
        ("people", "people", "List, add, change and remove people who sign in."),
        ("webhooks", "webhooks", "List, add, try and remove addresses that are told of events."),
        ("watches", "watches", "List, add and remove feeds of sources that turn or fall."),
        ("audit", "audit", "Show the audit log."),
    ),
}
COMMANDS = tuple(Command(*row, panel) for panel, rows in _PANELS.items() for row in rows)


class LazyCommand(TyperCommand):
    """Stands for a command until it is called; imports its module then."""

    def __init__(self, command: Command) -> None:
        super().__init__(command.name, help=command.summary, rich_help_panel=command.panel)
        self._entry = command

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> Any:  # noqa: ANN401  (typer's private types)
        return self._command.make_context(info_name, args, *rest, **extra)

    @cached_property
    def _command(self) -> Any:  # noqa: ANN401  (typer's private types)
        import_module(f"api.cli.commands.{self._entry.module}")
        from api.cli.options import APPS  # noqa: PLC0415  (imports what `--help` does not)

        command = get_command(APPS[self._entry.name])
        gc.freeze()
        gc.enable()
        command.help = self.help
        return command


class CredenceGroup(TyperGroup):
    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  (whatever typer passes)
        super().__init__(**settings)
        for command in COMMANDS:
            self.add_command(LazyCommand(command))

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]  # typer's own subclass of the context
        from api.cli.invocation import run  # noqa: PLC0415  (imports what commands need, which `--help` does not)

        return run(ctx, super().invoke)


app = typer.Typer(
    name="credence",
    cls=CredenceGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"credence {version(DISTRIBUTION)}")
        raise typer.Exit


@app.callback()
def credence(
    _version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
    url: Annotated[
        str | None,
        typer.Option("--url", envvar="CREDENCE_URL", help="Use the service at this address."),
    ] = None,
    key: Annotated[str | None, typer.Option("--key", envvar="CREDENCE_KEY", help="An API key of that service.")] = None,
) -> None:
    """Estimate the reliability of sources without labels, and answer questions from the reliable ones."""


def main() -> None:
    # Nearly all objects are those of modules and stay: to look for garbage while the command is imported, and after
    # every 700 new objects then, takes a quarter of the time in which a service starts.
    gc.disable()
    gc.set_threshold(10_000)
    # Matrices of an estimate are small, and threads of BLAS wait for each other by spinning: with two of them an
    # estimate of eleven sources takes 6.3 processor seconds instead of 3.6.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    app()
