"""`credence gold`: right answers of queries."""

from typing import Annotated
from uuid import UUID

import typer

from api.cli.commands.queries import QueryArgument, find
from api.cli.connection import PAGE_ROWS
from api.cli.environment import Environment
from api.cli.options import LimitOption, command
from api.cli.parameter_options import parameter_options
from api.client.nouns import queries
from api.http.schemas.queries import GoldChangeView
from api.text import plural
from registry.platform.errors import Conflict
from registry.queries.schemas import GoldInput


@command("gold", "list")
def list_entries(env: Environment, query: QueryArgument, limit: LimitOption = 0) -> None:
    """List the changes of the gold answers of a query, the newest first."""
    _, listed = env.on(find, query, lambda found: queries.list_gold(found.id, limit=limit or PAGE_ROWS))
    env.show_list(
        listed.items,
        {
            "entry": "id",
            "when": "created_at",
            "who": "created_by",
            "before": lambda entry: _answers(entry.answers_before),
            "after": lambda entry: _answers(entry.answers_after),
            "": lambda entry: "undone" if entry.undone_at else "",
        },
        if_empty="No right answer of this query was ever changed.",
    )


@command("gold", "add")
@parameter_options(GoldInput, answers="ANSWER...", replace="--replace")
def add_gold(env: Environment, query: QueryArgument, values: GoldInput) -> None:
    """Add gold answers to a query."""
    _print_gold(env, env.on(find, query, lambda found: queries.set_gold(found.id, values))[1])


@command("gold")
def undo(
    env: Environment,
    query: QueryArgument,
    entry: Annotated[
        UUID | None, typer.Argument(help="The change to undo, from the list; by default the last one.")
    ] = None,
) -> None:
    """Undo the last change of the gold answers of a query."""
    with env.service() as service:
        found = find(service, query)
        changes = service.send(queries.list_gold(found.id, limit=PAGE_ROWS)).items
        entry_id = entry or next((change.id for change in changes if change.undone_at is None), None)
        if entry_id is None:
            raise Conflict("There is nothing to undo.")
        _print_gold(env, service.send(queries.undo_gold(found.id, entry_id)))


def _print_gold(env: Environment, change: GoldChangeView) -> None:
    if change.answers_before == change.answers_after:
        env.print_result(change, f"Nothing changed. Right: {_answers(change.answers_after)}.")
        return
    line = f"Right: {_answers(change.answers_after)}. Before: {_answers(change.answers_before)}."
    if change.moved:
        before, after = change.votes_before, change.votes_after
        votes = f"{plural(after.right, 'vote')} for, {after.wrong} against"
        line += f" {votes}; before {before.right} and {before.wrong}."
    env.print_result(change, f"{line} It counts from the next estimation on.")


def _answers(answers: list[str] | None) -> str:
    return ", ".join(answers or ()) or "none"
