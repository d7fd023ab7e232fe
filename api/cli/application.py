"""The command `credence`: the list of its commands, each imported when it is used."""

from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from estimator.errors import DISTRIBUTION


class Command(NamedTuple):
    """A command: the panel of the help that it stands in, its help, and the folder of its module, whose `app` it is."""

    name: str
    panel: str
    summary: str
    folder: str = ""


_WORK, _RUN, _RECORDS = "Work", "Run", "Look and change"
# The summaries stand here and not in the modules, so that `credence --help` imports none of them.
COMMANDS = (
    Command(
        "ingest",
        _WORK,
        "Add documents to a source, or to many: new ones, changed ones; what is there already stays as it is.",
    ),
    Command("connectors", _WORK, "Documents from folders, tables, feeds and sites, kept in step with these."),
    Command(
        "estimate",
        _WORK,
        "Estimate the reliability of all sources from what they say; goes on with an estimation under way.",
    ),
    Command("search", _WORK, "Search the passages of all sources, weighed by reliability; nothing is read or stored."),
    Command("ask", _WORK, "Answer a question, and say which sources say so, which do not, and where."),
    Command(
        "conflict",
        _WORK,
        "Hold a response against documents: which claims do they dispute, who says what, and how sure is that.",
    ),
    Command(
        "eval",
        _WORK,
        "Compare every method, the confidence and the estimated reliabilities with the gold answers of your queries.",
    ),
    Command("demo", _RUN, "Do the main job on a corpus about an invented island, then leave the service running."),
    Command("serve", _RUN, "Answer HTTP requests until stopped.", ".processes"),
    Command("mcp", _RUN, "Serve an agent over standard input and output (Model Context Protocol).", ".processes"),
    Command("worker", _RUN, "Do jobs and watch schedules until stopped.", ".processes"),
    Command("migrate", _RUN, "Upgrade, downgrade or inspect the database's schema.", ".database"),
    Command("backup", _RUN, "Write the whole database to one file, consistent while others write.", ".database"),
    Command("restore", _RUN, "Restore a backup, and prove that everything is there.", ".database"),
    Command("sources", _RECORDS, "Sources: list, register, change, rate, override."),
    Command("documents", _RECORDS, "Documents of a source: list, show, delete."),
    Command("misreadings", _RECORDS, "Readings that look misread: list, confirm, reject.", ".verdicts"),
    Command("export", _RECORDS, "Write sources, reliabilities, votes or answers as JSON Lines, CSV or Parquet."),
    Command("queries", _RECORDS, "Queries that reliability is estimated with; no answers are needed."),
    Command("gold", _RECORDS, "Right answers of queries: add, replace, list the changes, undo.", ".verdicts"),
    Command("answers", _RECORDS, "Questions asked before, and their answers."),
    Command("estimations", _RECORDS, "Estimation runs, past and under way."),
    Command("schedules", _RECORDS, "When to estimate again; `credence worker` or `serve --all` starts them on time."),
    Command("corpora", _RECORDS, "Corpora: namespaces of sources that answer the same kind of question."),
    Command("keys", _RECORDS, "API keys of a corpus, or operators' keys, which open every corpus.", ".access"),
    Command("audit", _RECORDS, "Who changed what: keys, quotas, overrides, ratings, schedules, deletions.", ".access"),
)


class LazyCommand(TyperCommand):
    """Stands for a command until it is called; imports its module then."""

    def __init__(self, command: Command) -> None:
        super().__init__(command.name, help=command.summary, rich_help_panel=command.panel)
        self._folder = command.folder

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> Any:  # noqa: ANN401  (typer's private types)
        """The context of the command itself."""
        command = get_command(import_module(f"api.cli.commands{self._folder}.{self.name}").app)
        command.help = self.help
        return command.make_context(info_name, args, *rest, **extra)


class CredenceGroup(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  (whatever typer passes)
        super().__init__(**settings)
        for command in COMMANDS:
            self.add_command(LazyCommand(command))

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]  # typer's own subclass of the context
        """Run the command."""
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
        typer.Option("--url", envvar="CREDENCE_URL", help="Work with the service at this address, not here."),
    ] = None,
    key: Annotated[str | None, typer.Option("--key", envvar="CREDENCE_KEY", help="An API key of that service.")] = None,
) -> None:
    """How far each source can be trusted, without labels; and answers from those that deserve it."""


def main() -> None:
    """The entry point."""
    app()
