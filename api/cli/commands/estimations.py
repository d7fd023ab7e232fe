"""`credence estimations`: the runs, past and under way."""

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.environment import Environment, newest
from api.cli.options import LimitOption, command, list_command
from api.cli.output import bar, cell, moment, number, print_json, print_lines, print_table, table
from api.cli.reports.estimation import NUMBERS, interval, reasons, summary
from api.http.schemas.estimations import EstimationView
from api.text import clean
from registry.models import Corpus, EstimationRun, RunSource
from registry.store import estimations

app = typer.Typer(add_completion=False)

DEFAULT_LIMIT = 20
RunArgument = Annotated[UUID, typer.Argument(metavar="ID", help="The estimation's id, from the list.")]


@list_command(app)
def list_estimations(
    env: Environment,
    limit: LimitOption = DEFAULT_LIMIT,
) -> None:
    """Show the newest runs, the latest last."""
    runs = env.in_corpus(
        lambda session, owner: newest(
            lambda cursor, size: estimations.page(session, owner, cursor=cursor, limit=size), limit
        ),
    )
    if env.as_json:
        print_lines(map(EstimationView.of, runs))
        return
    rows = table("id", "created", "status", "queries", right=("queries",), fixed=("id", "created"))
    for run in runs:
        queries = f"{run.queries_collected:,}/{run.queries_total:,}"
        rows.add_row(str(run.id), moment(run.created_at), run.status, queries)
    print_table(env.out, rows, if_empty="There are no estimations yet: `credence estimate`.")


@command(app)
def show(env: Environment, run_id: RunArgument) -> None:
    """Show what one run found."""

    async def work(session: AsyncSession, owner: Corpus) -> tuple[EstimationRun, list[RunSource]]:
        run = await estimations.get(session, owner, run_id)
        return run, list(await estimations.sources_of(session, run))

    run, sources = env.in_corpus(work)
    if env.as_json:
        print_json(EstimationView.of(run))
        return
    reader = [clean(f"Read by {run.reader}.")] if run.reader else []
    env.out.print(Text("\n".join([_state(run), *reader, *reasons(run)])), soft_wrap=True)
    rows = table("source", "", "reliability", "90 %", "weight", "votes", right=NUMBERS)
    for source in sources:
        rows.add_row(
            cell(source.source_name),
            bar(source.reliability),
            number(source.reliability),
            interval(source.lower, source.upper),
            number(source.weight),
            f"{source.vote_count:,}",
        )
    if sources:
        env.out.print(rows)


@command(app)
def cancel(env: Environment, run_id: RunArgument) -> None:
    """Ask a run to stop; it does within seconds."""
    run = env.in_corpus(lambda session, owner: estimations.request_cancel(session, owner, run_id))
    env.print_result(EstimationView.of(run), "It stops within seconds; its readings are kept.")


def _state(run: EstimationRun) -> str:
    if run.method is not None:
        return f"{run.status.capitalize()}. {summary(run)}"
    why = (run.problem or {}).get("detail", "")
    return clean(
        f"{run.status.capitalize()}: {run.queries_collected} of {run.queries_total} queries read. {why}".rstrip()
    )
