"""`credence gold`: the right answers of queries, and the history of their changes."""

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from api.cli.commands.queries import QueryArgument, find
from api.cli.connection import PAGE_ROWS
from api.cli.environment import Environment, parse_input
from api.cli.options import LimitOption, command
from api.cli.output import cell, moment, table
from api.client.nouns import queries
from api.http.schemas.gold import GoldChangeView
from api.text import clean, plural
from registry.platform.errors import Conflict
from registry.queries.schemas import GoldInput

app = typer.Typer(add_completion=False)


@command(app, "list")
def list_entries(env: Environment, query: QueryArgument, limit: LimitOption = 0) -> None:
    """List the changes of the gold answers of a query, the newest first."""

    with env.service() as service:
        found = find(service, env.corpus, query)
        listed = service.send(queries.list_gold(found.id, limit=limit or PAGE_ROWS, corpus=env.corpus)).items
    rows = table("entry", "when", "who", "before", "after", "", fixed=("entry", "when"))
    for entry in listed:
        state = Text("undone" if entry.undone_at else "", style="dim")
        before, after = (cell(_answers(answers)) for answers in (entry.answers_before, entry.answers_after))
        rows.add_row(str(entry.id), moment(entry.created_at), cell(entry.created_by), before, after, state)
    env.show_list(listed, rows, if_empty="No right answer of this query was ever changed.")


@command(app)
def add(
    env: Environment,
    query: QueryArgument,
    answers: Annotated[list[str], typer.Argument(metavar="ANSWER...", help="Right answers.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace the gold answers that the query has.")] = False,
) -> None:
    """Add gold answers to a query."""
    values = parse_input(GoldInput, answers=answers, replace=replace)

    with env.service() as service:
        found = find(service, env.corpus, query)
        _print(env, service.send(queries.set_gold(found.id, values, corpus=env.corpus)))


@command(app)
def undo(
    env: Environment,
    query: QueryArgument,
    entry: Annotated[
        UUID | None, typer.Argument(help="The change to undo, from the list; by default the last one.")
    ] = None,
) -> None:
    """Undo the last change of the gold answers of a query."""

    with env.service() as service:
        found = find(service, env.corpus, query)
        entry_id = entry or next(
            (
                listed.id
                for listed in service.send(queries.list_gold(found.id, limit=PAGE_ROWS, corpus=env.corpus)).items
                if listed.undone_at is None
            ),
            None,
        )
        if entry_id is None:
            raise Conflict("There is nothing to undo.")
        _print(env, service.send(queries.undo_gold(found.id, entry_id, corpus=env.corpus)))


def _print(env: Environment, change: GoldChangeView) -> None:
    if change.answers_before == change.answers_after:
        env.print_result(change, f"Nothing changed. Right: {_answers(change.answers_after)}.")
        return
    line = f"Right: {_answers(change.answers_after)}. Before: {_answers(change.answers_before)}."
    if change.moved:
        after = change.votes_after
        line += f" {plural(after.right, 'vote')} for, {after.wrong} against; before {_counts(change)}."
    env.print_result(change, f"{line} It counts from the next estimation on.")


def _counts(change: GoldChangeView) -> str:
    return f"{change.votes_before.right} and {change.votes_before.wrong}"


def _answers(answers: list[str] | None) -> str:
    return ", ".join(clean(answer) for answer in answers or ()) or "none"
