"""`credence estimate`: how reliable each source is, by the votes of a corpus or by files of votes."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from api.cli.connection import Service
from api.cli.environment import Environment
from api.cli.estimation_progress import follow_to_end, start_or_resume
from api.cli.first_estimation import write_first_queries
from api.cli.options import WaitOption, command
from api.cli.output import print_json, say
from api.cli.parameter_options import LongHelp, parameter_options
from api.cli.reports.estimation import print_reliabilities, reasons, summary, turn_line, width_line
from api.client.nouns import estimations
from api.client.nouns.sources import list_sources
from api.http.schemas.estimations import Convergence, EstimationView
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import SourceStatus
from registry.platform.errors import InvalidInput

app = typer.Typer(add_completion=False)

GIB: Final = 1 << 30


class Engine(StrEnum):
    """The engine that adds up files of votes."""

    LOCAL = "local"
    RAY = "ray"


@command(app, cls=LongHelp)
@parameter_options(EstimationParameters)
def estimate(  # noqa: PLR0913, PLR0917 - each is an option
    env: Environment,
    parameters: EstimationParameters,
    wait: WaitOption = True,
    votes: Annotated[
        list[str] | None,
        typer.Option(
            "--votes",
            metavar="FILE",
            help="Estimate by these Parquet files of votes (columns query, source, answer), or those in a folder, "
            "instead of a corpus.",
        ),
    ] = None,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]...", help="Further files of votes, after --votes.")
    ] = None,
    engine: Annotated[
        Engine, typer.Option("--engine", help="Where files of votes are added up: in this process, or by Ray workers.")
    ] = Engine.LOCAL,
    workers: Annotated[
        int, typer.Option("--workers", min=1, help="Number of Ray workers, one core each.", metavar="N")
    ] = 2,
    memory: Annotated[
        float,
        typer.Option("--memory", min=0, help="GiB of memory for votes; the rest is read again in each round."),
    ] = 4.0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write all sources of files of votes into *.parquet."),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            "--answers",
            metavar="FILE",
            help="Write the answers to the queries of files of votes, with their probabilities, into *.parquet.",
        ),
    ] = None,
) -> None:
    if votes:
        from api.cli import vote_files  # noqa: PLC0415 - the estimator takes half a second to import

        start = partial(vote_files.RayWorkers, count=workers) if engine is Engine.RAY else None
        choice = vote_files.FileOptions(start, int(memory * GIB), output, answers)
        vote_files.estimate(env, [*votes, *(files or ())], parameters, choice)
        return
    if files or output or answers or engine is Engine.RAY:
        raise InvalidInput("Files, --output, --answers and --engine are for files of votes: name these with --votes.")
    if not wait:
        queued = env.send(estimations.start_estimation(parameters))
        env.print_result(queued, f"Queued as {queued.id}; a worker will do it.")
        return
    with env.service() as service:
        run = _run(env, service, parameters)
        if env.as_json:
            print_json(run)
        elif run.outcome is not None:
            _print_reliabilities(env, service, run, run.outcome)


def _run(env: Environment, service: Service, parameters: EstimationParameters) -> EstimationView:
    write_first_queries(env, service)
    return follow_to_end(service, start_or_resume(service, parameters, env.print_note), env.err)


def _print_reliabilities(env: Environment, service: Service, run: EstimationView, outcome: Convergence) -> None:
    listed = service.newest(list_sources(status=SourceStatus.ACTIVE))
    print_reliabilities(env.out, listed, outcome.copy_groups, outcome.joint_dissents, outcome.topics)
    widths = [] if run.more_queries is None else [width_line(run.more_queries)]
    say(env.out, "\n".join([summary(run, outcome), *reasons(outcome), *widths]))
    for source in listed:
        if source.reliability.alarm:
            turn = turn_line(source.name, source.reliability.periods)
            say(env.out, f"Alarm: {turn}", style="bold red")
