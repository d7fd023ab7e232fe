"""`credence estimate` and `estimations`: how reliable sources are."""

from typing import Annotated

import typer

from api.cli.connection import Service, one_of
from api.cli.environment import Environment
from api.cli.following import follow_to_end, start_or_resume, write_first_queries
from api.cli.options import LimitOption, VoteFiles, WaitOption, YesOption, command, confirm, list_command
from api.cli.output import bar, print_json, say, table
from api.cli.parameter_options import LongHelp, parameter_options
from api.cli.reports.estimation import (
    interval,
    print_difference,
    print_reliabilities,
    reasons,
    summary,
    turn_line,
    width_line,
)
from api.client.nouns import estimations
from api.client.nouns.sources import list_sources
from api.http.schemas.estimations import Convergence, EstimationView
from api.text import plural
from registry.estimations.schemas import CurrentRunInput, EstimationParameters, RunPatch
from registry.platform.enums import SourceStatus
from registry.platform.errors import InvalidInput, NotFound


@command("estimate", cls=LongHelp)
@parameter_options(EstimationParameters)
@parameter_options(VoteFiles, output="--output -o")
def estimate(
    env: Environment,
    parameters: EstimationParameters,
    given: VoteFiles,
    wait: WaitOption = True,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]...", help="Further files of votes, after --votes.")
    ] = None,
) -> None:
    if given.votes:
        from api.cli import vote_files  # noqa: PLC0415 - the estimator takes half a second to import

        vote_files.estimate(env, [*given.votes, *(files or ())], parameters, given)
        return
    if files or given != VoteFiles():
        raise InvalidInput("Files, --output, --answers and --engine are for files of votes: name these with --votes.")
    if not wait:
        queued = env.send(estimations.start_estimation(parameters))
        env.print_result(queued, f"Queued as {queued.id}; a worker will do it.")
        return
    with env.service() as service:
        write_first_queries(env, service)
        run = follow_to_end(service, start_or_resume(service, parameters, env.print_note), env.err)
        if env.as_json:
            print_json(run)
        elif run.outcome is not None:
            _print_reliabilities(env, service, run, run.outcome)


def _print_reliabilities(env: Environment, service: Service, run: EstimationView, outcome: Convergence) -> None:
    listed = service.newest(list_sources(status=SourceStatus.ACTIVE))
    print_reliabilities(env.out, listed, outcome.copy_groups, outcome.joint_dissents, outcome.topics)
    widths = [] if run.more_queries is None else [width_line(run.more_queries)]
    say(env.out, "\n".join([summary(run, outcome), *reasons(outcome), *widths]))
    for source in listed:
        if source.reliability.alarm:
            turn = turn_line(source.name, source.reliability.periods)
            say(env.out, f"Alarm: {turn}", style="bold red")


DEFAULT_LIMIT = 20
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="The estimation's number or id, from the list.")]
_find = one_of(estimations.list_estimations(), "number", "id", what="estimation")


@list_command("estimations")
def list_estimations(env: Environment, limit: LimitOption = DEFAULT_LIMIT) -> None:
    """List the newest runs, the latest last."""
    env.show_list(
        env.newest(estimations.list_estimations(), limit),
        {
            "": "number",
            "id": "id",
            "created": "created_at",
            "status": lambda run: f"{run.status}, current" if run.current else run.status,
            "queries": lambda run: f"{run.progress.queries_collected:,}/{run.progress.queries_total:,}",
            "name": lambda run: run.name or "",
        },
        if_empty="There are no estimations yet: `credence estimate`.",
    )


@command("estimations")
def show(env: Environment, run: RunArgument) -> None:
    """Show the results of a run."""
    with env.service() as service:
        found = service.send(estimations.get_estimation(_find(service, run).id))
        if env.as_json:
            print_json(found)
            return
        sources = service.send(estimations.list_estimated_sources(found.id)).items
    reader = [f"Read by {found.reader}."] if found.reader else []
    widths = [] if found.more_queries is None else [width_line(found.more_queries)]
    say(env.out, "\n".join([_state(found), *reader, *reasons(found.outcome), *widths]))
    rows = table(
        sources,
        {
            "source": "source_name",
            "": lambda source: bar(source.reliability),
            "reliability": "reliability",
            "90 %": lambda source: interval(source.lower, source.upper),
            "weight": "weight",
            "votes": "vote_count",
        },
    )
    if sources:
        env.out.print(rows)


@command("estimations")
def cancel(env: Environment, run: RunArgument) -> None:
    """Cancel a run. It stops within seconds."""
    _, cancelled = env.on(_find, run, lambda found: estimations.cancel_estimation(found.id))
    env.print_result(cancelled, "It stops within seconds; its readings are kept.")


@command("estimations")
def name(
    env: Environment,
    run: RunArgument,
    name: Annotated[str | None, typer.Argument(help="Its name; none takes it away.")] = None,
) -> None:
    """Name a run."""
    _, named = env.on(_find, run, lambda found: estimations.update_estimation(found.id, RunPatch(name=name)))
    env.print_result(named, f"Run {named.number} is named {named.name}." if named.name else "It has no name.")


@command("estimations")
def diff(env: Environment, before: RunArgument, after: RunArgument) -> None:
    """Show what differs between two runs, the most changed sources first."""
    with env.service() as service:
        ids = [_find(service, run).id for run in (before, after)]
        found = service.send(estimations.compare_estimations(*ids))
    env.show(found, print_difference)


@command("estimations", "make-current")
def make_current(env: Environment, run: RunArgument, yes: YesOption = False) -> None:
    """Weigh answers by a run of before, after showing what that changes, until a newer one succeeds."""
    with env.service() as service:
        run_id = _find(service, run).id
        current = next((each for each in service.newest(estimations.list_estimations()) if each.current), None)
        if current is None:
            raise NotFound("current estimation", run)
        found = service.send(estimations.compare_estimations(current.id, run_id))
        print_difference(env.err, found)
        confirm(f"Replace the scores of {plural(len(found.sources), 'source')} for everybody?", yes=yes)
        made = service.send(estimations.make_estimation_current(run_id, CurrentRunInput(instead_of=current.id)))
    undo = f"`credence estimations make-current {current.number}`"
    env.print_result(made, f"Run {made.number} is current instead of run {current.number}; {undo} undoes it.")


def _state(run: EstimationView) -> str:
    if run.outcome is not None:
        return f"{run.status.capitalize()}. {summary(run, run.outcome)}"
    why, done = run.problem.detail if run.problem else "", run.progress
    return f"{run.status.capitalize()}: {done.queries_collected} of {done.queries_total} queries read. {why}".rstrip()
