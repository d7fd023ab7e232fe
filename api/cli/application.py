"""The command `credence`: all its commands, and how it starts."""

from collections.abc import Callable, Mapping, Sequence

import typer

from api.cli import (
    answers,
    corpora,
    estimations,
    keys,
    migrate,
    queries,
    schedules,
    sources,
)
from api.cli.ask import ask
from api.cli.conflict import conflict
from api.cli.demo import demo
from api.cli.estimate import estimate
from api.cli.eval import evaluate_corpus
from api.cli.group import CredenceGroup
from api.cli.ingest import ingest
from api.cli.serve import serve, worker
from api.cli.terminal import terminal_of
from api.logs import configure_logging

app = typer.Typer(
    name="credence",
    cls=CredenceGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="How far each source can be trusted, without labels; and answers from those that deserve it.",
)

_WORK = "Work"
_RECORD = "Look and change"
_RUN = "Run"

_OF_PANEL: Mapping[str, Sequence[Callable[..., None]]] = {
    _WORK: (ingest, estimate, ask, conflict),
    _RUN: (demo, serve, worker),
}
for panel, commands in _OF_PANEL.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
for name, group in (
    ("sources", sources.app),
    ("queries", queries.app),
    ("answers", answers.app),
    ("estimations", estimations.app),
    ("schedules", schedules.app),
    ("corpora", corpora.app),
    ("keys", keys.app),
):
    app.add_typer(group, name=name, rich_help_panel=_RECORD)
app.command("eval", rich_help_panel=_WORK)(evaluate_corpus)
app.add_typer(migrate.app, name="migrate", rich_help_panel=_RUN)


@app.callback()
def begin(ctx: typer.Context) -> None:
    """How far each source can be trusted, without labels; and answers from those that deserve it."""
    settings = terminal_of(ctx).load_settings()
    if "log_level" not in settings.model_fields_set:
        # A command says itself what went wrong; the processes that stay set their own level.
        settings = settings.model_copy(update={"log_level": "ERROR"})
    configure_logging(settings)


def main() -> None:
    """The entry point."""
    app()
