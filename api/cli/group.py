"""How a command fails: one line on stderr for what a user can cause, a traceback for what nobody foresaw."""

import typer
from rich.text import Text
from typer.core import TyperGroup

from api.cli.output import clean
from api.cli.terminal import terminal_of
from estimator.errors import CredenceError
from registry.errors import DatabaseUnavailable

FAILED = 1


class CredenceGroup(TyperGroup):
    """The group of all commands."""

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]  # typer's own subclass of the context
        """Run the command; an error of ours ends it with status 1."""
        try:
            return super().invoke(ctx)
        except (CredenceError, BaseExceptionGroup) as error:
            known = expected(error)
            if known is None:
                raise
            message = Text.assemble(("Error: ", "bold red"), clean(explain(known)))
            terminal_of(ctx).err.print(message, soft_wrap=True)
            raise typer.Exit(FAILED) from error


def expected(error: BaseException) -> CredenceError | None:
    """The error of ours that this is, or the first in a group of nothing else; None if it is a surprise."""
    if isinstance(error, CredenceError):
        return error
    if isinstance(error, BaseExceptionGroup):
        inner = [expected(one) for one in error.exceptions]
        return inner[0] if all(inner) else None
    return None


def explain(error: CredenceError) -> str:
    """The message; for a database that does not answer, with what the driver said, which helps at a terminal."""
    if not isinstance(error, DatabaseUnavailable) or error.__cause__ is None:
        return str(error)
    said = str(getattr(error.__cause__, "orig", None) or error.__cause__).strip().partition("\n")[0]
    return f"{error} ({said})" if said else str(error)
