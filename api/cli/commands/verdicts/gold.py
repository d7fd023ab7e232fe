"""`credence gold`: the right answers of queries, and the history of their changes."""

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.commands.queries import QueryArgument, find
from api.cli.environment import Environment, parse_input, user_name
from api.cli.options import LimitOption, command
from api.cli.output import cell, moment, print_lines, print_table, table
from api.http.schemas.gold import GoldChangeView, GoldEntryView
from api.text import clean, plural
from registry.database.paging import MAX_LIMIT
from registry.errors import Conflict
from registry.estimation.gold_effect import gold_effect
from registry.inputs.queries import GoldInput
from registry.models import Corpus, GoldEntry
from registry.store import gold

app = typer.Typer(add_completion=False)


@command(app, "list")
def list_entries(env: Environment, query: QueryArgument, limit: LimitOption = 0) -> None:
    """Show the changes of the right answers of a query, the newest first."""

    async def work(session: AsyncSession, owner: Corpus) -> list[GoldEntry]:
        found = await find(session, owner, query)
        return list((await gold.page(session, owner, found.id, limit=limit or MAX_LIMIT)).items)

    listed = env.in_corpus(work)
    if env.as_json:
        print_lines(map(GoldEntryView.model_validate, listed))
        return
    rows = table("entry", "when", "who", "before", "after", "", fixed=("entry", "when"))
    for entry in listed:
        state = Text("undone" if entry.undone_at else "", style="dim")
        before, after = (cell(_answers(answers)) for answers in (entry.answers_before, entry.answers_after))
        rows.add_row(str(entry.id), moment(entry.created_at), cell(entry.created_by), before, after, state)
    print_table(env.out, rows, if_empty="No right answer of this query was ever changed.")


@command(app)
def add(
    env: Environment,
    query: QueryArgument,
    answers: Annotated[list[str], typer.Argument(metavar="ANSWER...", help="What is right; each is.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Instead of those that the query has, not beside them.")
    ] = False,
) -> None:
    """Set right answers of a query, beside those that it has."""
    values = parse_input(GoldInput, answers=answers, replace=replace)

    async def work(session: AsyncSession, owner: Corpus) -> GoldChangeView:
        found = await find(session, owner, query)
        row, before, entry = await gold.add(
            session, owner, found.id, values.answers, replace=values.replace, by=user_name()
        )
        return GoldChangeView.of(row, before, entry, await gold_effect(session, owner, row, before, row.gold_answers))

    _print(env, env.in_corpus(work))


@command(app)
def undo(
    env: Environment,
    query: QueryArgument,
    entry: Annotated[
        UUID | None, typer.Argument(help="Of those that the list shows; by default the last change.")
    ] = None,
) -> None:
    """Give a query the right answers that it had before its last change."""

    async def work(session: AsyncSession, owner: Corpus) -> GoldChangeView:
        found = await find(session, owner, query)
        last = await gold.newest(session, found.id) if entry is None else None
        entry_id = entry if last is None else last.id
        if entry_id is None:
            raise Conflict("There is nothing to undo.")
        row, before, undone = await gold.undo(session, owner, found.id, entry_id)
        return GoldChangeView.of(row, before, undone, await gold_effect(session, owner, row, before, row.gold_answers))

    _print(env, env.in_corpus(work))


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
