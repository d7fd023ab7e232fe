"""Options that many commands share, and lists as the default command of a noun."""

from typing import Annotated

import typer

CorpusOption = Annotated[
    str, typer.Option("--corpus", "-c", help="The corpus to work in.", envvar="CREDENCE_CORPUS", metavar="NAME")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
LimitOption = Annotated[
    int, typer.Option("--limit", "-n", min=0, help="Show the newest N only; 0 shows all.", metavar="N")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]

DEFAULT_CORPUS = "default"


def noun(help_text: str) -> typer.Typer:
    """A group of commands about one noun; `credence NOUN` alone lists them."""
    return typer.Typer(help=help_text, no_args_is_help=False, invoke_without_command=True)


def pass_on(ctx: typer.Context, **options: object) -> bool:
    """Make options given before a subcommand its defaults. Returns whether there is no subcommand: then list."""
    if ctx.invoked_subcommand is not None:
        ctx.default_map = {ctx.invoked_subcommand: options}
        return False
    return True


def confirm(question: str, *, yes: bool) -> None:
    """Ask before something that cannot be undone; ends the command unless the answer is yes."""
    if not yes:
        typer.confirm(question, abort=True, err=True)
