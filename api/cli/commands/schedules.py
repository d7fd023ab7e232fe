"""`credence schedules`: when to estimate again."""

from typing import Annotated

import typer
from rich.text import Text

from api.cli.connection import Service, by_reference
from api.cli.environment import Environment, parse_input
from api.cli.options import command, list_command
from api.cli.output import cell, moment, table
from api.cli.parameter_options import LongHelp, parameter_options
from api.client.nouns import estimations
from api.http.schemas.schedules import ScheduleView
from registry.estimations.schemas import EstimationParameters
from registry.query_generations.schemas import GenerationParameters
from registry.schedules.schemas import ScheduleInput, SchedulePatch

app = typer.Typer(add_completion=False)

ScheduleArgument = Annotated[str, typer.Argument(metavar="SCHEDULE", help="The schedule's name or id.")]


@list_command(app)
def list_schedules(env: Environment) -> None:
    """List the schedules and when each is due."""
    with env.service() as service:
        listed = service.newest(estimations.list_schedules(corpus=env.corpus))
    rows = table("name", "times", "zone", "starts", "next (UTC)", fixed=("times", "next (UTC)"))
    for schedule in listed:
        starts = str(schedule.parameters.get("kind") or schedule.parameters.get("method", ""))
        rows.add_row(cell(schedule.name), cell(schedule.cron), cell(schedule.timezone), starts, _next_run(schedule))
    env.show_list(listed, rows, if_empty="There are no schedules: `credence schedules add`.")


@command(app, cls=LongHelp)
@parameter_options(EstimationParameters)
def add(
    env: Environment,
    name: Annotated[str, typer.Argument(help="Unique in the corpus.")],
    cron: Annotated[
        str, typer.Argument(help='Minute, hour, day, month, weekday: "0 3 * * *" is every night at three.')
    ],
    parameters: EstimationParameters,
    timezone: Annotated[str | None, typer.Option(help="Time zone of the schedule.", show_default="UTC")] = None,
    disabled: Annotated[bool, typer.Option("--disabled", help="Add it without starting it.")] = False,
    generate: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="First write up to N queries from documents, then estimate with the last parameters.",
        ),
    ] = None,
) -> None:
    """Add a schedule that starts estimations."""
    written = None if generate is None else GenerationParameters(queries=generate, estimate=True)
    values = parse_input(
        ScheduleInput,
        name=name,
        cron=cron,
        timezone=timezone,
        enabled=not disabled,
        parameters=parameters,
        generate=written,
    )
    _print(env, env.send(estimations.create_schedule(values, corpus=env.corpus)), "Added")


@command(app)
def enable(env: Environment, schedule: ScheduleArgument) -> None:
    """Enable a schedule."""
    _patch(env, schedule, SchedulePatch(enabled=True))


@command(app)
def disable(env: Environment, schedule: ScheduleArgument) -> None:
    """Disable a schedule."""
    _patch(env, schedule, SchedulePatch(enabled=False))


@command(app, json=False)
def remove(env: Environment, schedule: ScheduleArgument) -> None:
    """Remove a schedule. The runs that it started stay."""

    with env.service() as service:
        removed = _find(service, env.corpus, schedule)
        service.send(estimations.delete_schedule(removed.id, corpus=env.corpus))
    env.print_note(f"Removed the schedule {removed.name}.")


def _patch(env: Environment, reference: str, patch: SchedulePatch) -> None:
    with env.service() as service:
        found = _find(service, env.corpus, reference)
        changed = service.send(estimations.update_schedule(found.id, patch, corpus=env.corpus))
    _print(env, changed, "Changed")


def _print(env: Environment, schedule: ScheduleView, action: str) -> None:
    env.print_result(schedule, f"{action} {schedule.name}; next: {_next_run(schedule)}.")


def _next_run(schedule: ScheduleView) -> Text:
    times = schedule.next_runs
    return moment(times[0]) if times else Text("disabled" if not schedule.enabled else "never", style="dim")


def _find(service: Service, corpus: str, reference: str) -> ScheduleView:
    """A schedule by its name, which is unique, or by its id."""
    listed = service.newest(estimations.list_schedules(corpus=corpus))
    return by_reference(reference, listed, "name", "id", what="schedule")
