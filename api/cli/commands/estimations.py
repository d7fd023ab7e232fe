"""`credence estimations`: the runs, past and under way."""

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from api.cli.connection import Service, by_reference
from api.cli.environment import Environment
from api.cli.options import LimitOption, YesOption, command, confirm, list_command
from api.cli.output import bar, cell, moment, number, print_json, table
from api.cli.reports.estimation import NUMBERS, interval, print_difference, reasons, summary, width_line
from api.client.nouns import estimations
from api.http.schemas.estimations import EstimationView
from api.text import clean, plural
from registry.estimations.schemas import CurrentRunInput, RunPatch
from registry.platform.errors import NotFound

app = typer.Typer(add_completion=False)

DEFAULT_LIMIT = 20
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="The estimation's number or id, from the list.")]


@list_command(app)
def list_estimations(
    env: Environment,
    limit: LimitOption = DEFAULT_LIMIT,
) -> None:
    """List the newest runs, the latest last."""
    with env.service() as service:
        runs = service.newest(estimations.list_estimations(corpus=env.corpus), limit)
    rows = table("", "id", "created", "status", "queries", "name", right=("", "queries"), fixed=("", "id", "created"))
    for run in runs:
        queries = f"{run.progress.queries_collected:,}/{run.progress.queries_total:,}"
        status = f"{run.status}, current" if run.current else run.status
        rows.add_row(str(run.number), str(run.id), moment(run.created_at), status, queries, cell(run.name or ""))
    env.show_list(runs, rows, if_empty="There are no estimations yet: `credence estimate`.")


@command(app)
def show(env: Environment, run: RunArgument) -> None:
    """Show the results of a run."""

    with env.service() as service:
        run_id = _find(service, env.corpus, run)
        found = service.send(estimations.get_estimation(run_id, corpus=env.corpus))
        if env.as_json:
            print_json(found)
            return
        sources = service.send(estimations.list_estimated_sources(run_id, corpus=env.corpus)).items
    reader = [clean(f"Read by {found.reader}.")] if found.reader else []
    widths = [] if found.more_queries is None else [width_line(found.more_queries)]
    env.out.print(Text("\n".join([_state(found), *reader, *reasons(found.outcome), *widths])), soft_wrap=True)
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
def cancel(env: Environment, run: RunArgument) -> None:
    """Cancel a run. It stops within seconds."""
    with env.service() as service:
        run_id = _find(service, env.corpus, run)
        cancelled = service.send(estimations.cancel_estimation(run_id, corpus=env.corpus))
    env.print_result(cancelled, "It stops within seconds; its readings are kept.")


@command(app)
def name(
    env: Environment,
    run: RunArgument,
    name: Annotated[str | None, typer.Argument(help="Its name; none takes it away.")] = None,
) -> None:
    """Name a run."""
    with env.service() as service:
        run_id = _find(service, env.corpus, run)
        named = service.send(estimations.update_estimation(run_id, RunPatch(name=name), corpus=env.corpus))
    env.print_result(named, f"Run {named.number} is named {clean(named.name)}." if named.name else "It has no name.")


@command(app)
def diff(env: Environment, before: RunArgument, after: RunArgument) -> None:
    """Show what differs between two runs, the most changed sources first."""
    with env.service() as service:
        ids = [_find(service, env.corpus, run) for run in (before, after)]
        found = service.send(estimations.compare_estimations(*ids, corpus=env.corpus))
    if env.as_json:
        print_json(found)
    else:
        print_difference(env.out, found)


@command(app, "make-current")
def make_current(env: Environment, run: RunArgument, yes: YesOption = False) -> None:
    """Weigh answers by a run of before, after showing what that changes, until a newer one succeeds."""
    with env.service() as service:
        run_id = _find(service, env.corpus, run)
        current = next((each for each in _runs(service, env.corpus) if each.current), None)
        if current is None:
            raise NotFound("current estimation", run)
        found = service.send(estimations.compare_estimations(current.id, run_id, corpus=env.corpus))
        print_difference(env.err, found)
        confirm(f"Replace the scores of {plural(len(found.sources), 'source')} for everybody?", yes=yes)
        made = service.send(
            estimations.make_estimation_current(run_id, CurrentRunInput(instead_of=current.id), corpus=env.corpus)
        )
    undo = f"`credence estimations make-current {current.number}`"
    env.print_result(made, f"Run {made.number} is current instead of run {current.number}; {undo} undoes it.")


def _find(service: Service, corpus: str, reference: str) -> UUID:
    """The id of the run with this number or id."""
    return by_reference(reference, _runs(service, corpus), "number", "id", what="estimation").id


def _runs(service: Service, corpus: str) -> list[EstimationView]:
    return service.newest(estimations.list_estimations(corpus=corpus))


def _state(run: EstimationView) -> str:
    if run.outcome is not None:
        return f"{run.status.capitalize()}. {summary(run, run.outcome)}"
    why, done = run.problem.detail if run.problem else "", run.progress
    return clean(
        f"{run.status.capitalize()}: {done.queries_collected} of {done.queries_total} queries read. {why}".rstrip()
    )
