"""`credence estimations`: the runs, past and under way."""

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.estimate import reasons, summary
from api.cli.lists import newest
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, LimitOption, noun, pass_on
from api.cli.output import bar, cell, clean, moment, number, print_json, print_lines, print_table, table
from api.cli.reliabilities import NUMBERS, interval
from api.cli.terminal import Terminal, terminal_of
from api.http.schemas.estimations import EstimationView
from registry.models import Corpus, EstimationRun, RunSource
from registry.store import estimations

app = noun("Estimation runs, past and under way.")

SHOWN = 20
RunArgument = Annotated[UUID, typer.Argument(metavar="ID", help="The estimation's id, from the list.")]


@app.callback()
def default(
    ctx: typer.Context, limit: LimitOption = SHOWN, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Estimation runs, past and under way."""
    if pass_on(ctx, limit=limit, corpus=corpus, as_json=as_json):
        _list(terminal_of(ctx), corpus, limit, as_json=as_json)


@app.command("list")
def list_estimations(
    ctx: typer.Context, limit: LimitOption = SHOWN, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Show the newest runs, the latest last."""
    _list(terminal_of(ctx), corpus, limit, as_json=as_json)


@app.command()
def show(
    ctx: typer.Context, run_id: RunArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Show what one run found."""
    terminal = terminal_of(ctx)

    async def work(session: AsyncSession, owner: Corpus) -> tuple[EstimationRun, list[RunSource]]:
        run = await estimations.get(session, owner, run_id)
        return run, list(await estimations.sources_of(session, run))

    run, sources = terminal.in_corpus(corpus, work)
    if as_json:
        print_json(EstimationView.of(run))
        return
    terminal.out.print(Text(_state(run)), soft_wrap=True)
    for line in reasons(run):
        terminal.out.print(Text(line), soft_wrap=True)
    made = table("source", "", "reliability", "90 %", "weight", "votes", right=NUMBERS)
    for one in sources:
        shown = (number(one.reliability), interval(one.lower, one.upper), number(one.weight))
        made.add_row(cell(one.source_name), bar(one.reliability), *shown, f"{one.vote_count:,}")
    if sources:
        terminal.out.print(made)


@app.command()
def cancel(
    ctx: typer.Context, run_id: RunArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Ask a run to stop after the queries under way."""
    terminal = terminal_of(ctx)
    run = terminal.in_corpus(corpus, lambda session, owner: estimations.request_cancel(session, owner, run_id))
    if as_json:
        print_json(EstimationView.of(run))
    else:
        terminal.out.print("It stops after the queries under way; its readings are kept.")


def _list(terminal: Terminal, corpus: str, limit: int, *, as_json: bool) -> None:
    found = terminal.in_corpus(
        corpus,
        lambda session, owner: newest(
            lambda cursor, size: estimations.page(session, owner, cursor=cursor, limit=size), limit
        ),
    )
    if as_json:
        print_lines(map(EstimationView.of, found))
        return
    made = table("id", "created", "status", "queries", right=("queries",), fixed=("id", "created"))
    for run in found:
        queries = f"{run.queries_collected:,}/{run.queries_total:,}"
        made.add_row(str(run.id), moment(run.created_at), run.status, queries)
    print_table(terminal.out, made, shown=len(found), nothing="There are no estimations yet: `credence estimate`.")


def _state(run: EstimationRun) -> str:
    if run.method is not None:
        return f"{run.status.capitalize()}. {summary(run)}"
    why = (run.problem or {}).get("detail", "")
    return clean(
        f"{run.status.capitalize()}: {run.queries_collected} of {run.queries_total} queries read. {why}".rstrip()
    )
