"""Options that many commands share, and groups of commands that list when no command of theirs is named."""

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

CorpusOption = Annotated[
    str, typer.Option("--corpus", "-c", help="The corpus to work in.", envvar="CREDENCE_CORPUS", metavar="NAME")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
LimitOption = Annotated[
    int, typer.Option("--limit", "-n", min=0, help="Show the newest N only; 0 shows all.", metavar="N")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
SourceArgument = Annotated[str, typer.Argument(metavar="SOURCE", help="The source's external id, or its id.")]

DEFAULT_CORPUS = "default"


def list_command(group: typer.Typer) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorates the function that is both the command `list` of the group and what the group does by itself.

    Options given before a subcommand become that subcommand's defaults.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def alone(ctx: typer.Context, **options: Any) -> None:  # noqa: ANN401  (whatever `function` takes)
            if ctx.invoked_subcommand is None:
                function(ctx, **options)
            else:
                ctx.default_map = {ctx.invoked_subcommand: options}

        group.callback(invoke_without_command=True)(alone)
        return group.command("list")(function)

    return register


def confirm(question: str, *, yes: bool) -> None:
    """Ask before something that cannot be undone; ends the command unless the answer is yes."""
    if not yes:
        typer.confirm(question, abort=True, err=True)
