"""`credence misreadings`: readings that look misread, and what a person finds of them."""

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.environment import Environment, user_name
from api.cli.options import command, list_command
from api.cli.output import cell, number, print_lines, print_table, table
from api.http.schemas.misreadings import MisreadingView, VerdictView
from registry.estimation.explanation import explain_votes
from registry.models import Corpus, MisreadingVerdict, Verdict
from registry.store import readings, reliabilities

app = typer.Typer(add_completion=False)

ReadingArgument = Annotated[UUID, typer.Argument(metavar="READING", help="The identifier that the list shows.")]


@list_command(app)
def list_misreadings(
    env: Environment,
    everything: Annotated[bool, typer.Option("--all", help="Also those on which there is a verdict.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="So many at most.", metavar="N")] = 50,
) -> None:
    """Show the readings of the current estimation that look misread, the most suspect first."""

    async def work(session: AsyncSession, owner: Corpus) -> list[MisreadingView]:
        run = await reliabilities.current_run(session, owner)
        if run is None:
            return []
        page = await readings.suspected(session, run, open_only=not everything, limit=limit)
        explained = await explain_votes(session, [each.vote for each in page.items])
        return [MisreadingView.of(*both) for both in zip(page.items, explained, strict=True)]

    listed = env.in_corpus(work)
    if env.as_json:
        print_lines(listed)
        return
    rows = table("reading", "source", "question", "read", "in", "misread", "", right=("misread",), fixed=("reading",))
    for view in listed:
        rows.add_row(
            str(view.id),
            cell(view.source_name or ""),
            cell(view.question),
            cell(view.answer),
            cell(view.quote or ""),
            number(view.probability),
            Text(view.verdict.verdict if view.verdict else "", style="dim"),
        )
    print_table(env.out, rows, if_empty="No reading looks misread.")


@command(app)
def confirm(env: Environment, reading: ReadingArgument) -> None:
    """Confirm that a reading is misread: it never votes again."""
    _judge(env, reading, Verdict.CONFIRMED)


@command(app)
def reject(env: Environment, reading: ReadingArgument) -> None:
    """Say that a reading was read rightly: what is wrong with it is its source's error."""
    _judge(env, reading, Verdict.REJECTED)


@command(app, json=False)
def withdraw(env: Environment, reading: ReadingArgument) -> None:
    """Take a verdict back."""
    env.in_corpus(lambda session, owner: readings.withdraw(session, owner, reading))
    env.print_note(f"Withdrawn for {reading}.")


def _judge(env: Environment, reading: UUID, verdict: Verdict) -> None:
    async def work(session: AsyncSession, owner: Corpus) -> MisreadingVerdict:
        run = await reliabilities.current_run(session, owner)
        return await readings.judge(session, owner, run, reading, verdict, user_name())

    row = env.in_corpus(work)
    line = f"{verdict.capitalize()}: “{row.answer}” to “{row.question}”. It counts from the next estimation on."
    env.print_result(VerdictView.model_validate(row), line)
