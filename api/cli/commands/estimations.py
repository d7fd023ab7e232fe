"""`credence estimations`: the runs, past and under way."""

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from api.cli.environment import Environment
from api.cli.options import LimitOption, command, list_command
from api.cli.output import bar, cell, moment, number, print_json, table
from api.cli.reports.estimation import NUMBERS, interval, reasons, summary, width_line
from api.client.nouns import estimations
from api.http.schemas.estimations import EstimationView
from api.text import clean

app = typer.Typer(add_completion=False)

DEFAULT_LIMIT = 20
RunArgument = Annotated[UUID, typer.Argument(metavar="ID", help="The estimation's id, from the list.")]


@list_command(app)
def list_estimations(
    env: Environment,
    limit: LimitOption = DEFAULT_LIMIT,
) -> None:
    """List the newest runs, the latest last."""
    with env.service() as service:
        runs = service.newest(estimations.list_estimations(corpus=env.corpus), limit)
    rows = table("id", "created", "status", "queries", right=("queries",), fixed=("id", "created"))
    for run in runs:
        queries = f"{run.progress.queries_collected:,}/{run.progress.queries_total:,}"
        rows.add_row(str(run.id), moment(run.created_at), run.status, queries)
    env.show_list(runs, rows, if_empty="There are no estimations yet: `credence estimate`.")


@command(app)
def show(env: Environment, run_id: RunArgument) -> None:
    """Show the results of a run."""

    with env.service() as service:
        run = service.send(estimations.get_estimation(run_id, corpus=env.corpus))
        if env.as_json:
            print_json(run)
            return
        sources = service.send(estimations.list_estimated_sources(run_id, corpus=env.corpus)).items
    reader = [clean(f"Read by {run.reader}.")] if run.reader else []
    widths = [] if run.more_queries is None else [width_line(run.more_queries)]
    env.out.print(Text("\n".join([_state(run), *reader, *reasons(run.outcome), *widths])), soft_wrap=True)
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
    """Cancel a run. It stops within seconds."""
    run = env.send(estimations.cancel_estimation(run_id, corpus=env.corpus))
    env.print_result(run, "It stops within seconds; its readings are kept.")


def _state(run: EstimationView) -> str:
    if run.outcome is not None:
        return f"{run.status.capitalize()}. {summary(run, run.outcome)}"
    why, done = run.problem.detail if run.problem else "", run.progress
    return clean(
        f"{run.status.capitalize()}: {done.queries_collected} of {done.queries_total} queries read. {why}".rstrip()
    )
