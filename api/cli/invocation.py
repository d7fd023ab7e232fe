"""Start and failure of commands: one line on stderr for errors that a user can cause, a traceback for all others."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from api.cli.environment import Environment
from api.cli.output import say
from estimator.errors import CredenceError
from registry.platform.enums import ActorKind
from registry.platform.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from registry.platform.settings import Settings

FAILED = 1


def run(ctx: typer.Context, invoke: Callable[[typer.Context], object]) -> object:
    """Set up logging and invoke the command; an error of Credence's own ends it with status 1."""
    env = ctx.obj = replace(ctx.ensure_object(Environment), url=ctx.params["url"], key=ctx.params["key"])
    try:
        if env.url is None:
            _begin_here(env.load_settings())
        return invoke(ctx)
    except (CredenceError, BaseExceptionGroup) as error:
        cause = own_error(error)
        if cause is None:
            raise
        say(env.err, ("Error: ", "bold red"), explain(cause))
        raise typer.Exit(FAILED) from error


def _begin_here(settings: "Settings") -> None:
    """Set up logging and the audit log of a process that is the service itself."""
    from api.logs import configure_logging  # noqa: PLC0415  (imports what a client of a service elsewhere does without)
    from registry.events.audit import Actor, current_actor  # noqa: PLC0415  (likewise)

    if "log_level" not in settings.model_fields_set:
        # A command prints itself what went wrong; the processes that stay set their own level.
        settings = settings.model_copy(update={"log_level": "ERROR"})
    configure_logging(settings)
    current_actor.set(Actor(ActorKind.CLI))


def own_error(error: BaseException) -> CredenceError | None:
    """The error if it is a `CredenceError`, or the first in a group that has only such errors; otherwise None."""
    if isinstance(error, CredenceError):
        return error
    if isinstance(error, BaseExceptionGroup):
        members = [own_error(member) for member in error.exceptions]
        return members[0] if all(members) else None
    return None


def explain(error: CredenceError) -> str:
    """The message; for a database that does not answer, followed by the driver's first line, which helps here."""
    if not isinstance(error, DatabaseUnavailable) or error.__cause__ is None:
        return str(error)
    reason = str(getattr(error.__cause__, "orig", None) or error.__cause__).strip().partition("\n")[0]
    return f"{error} ({reason})" if reason else str(error)
