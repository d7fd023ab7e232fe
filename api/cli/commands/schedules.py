"""`credence schedules`: when to estimate again."""

from typing import Annotated

import typer
from rich.text import Text

from api.cli.connection import one_of
from api.cli.environment import Environment
from api.cli.options import command, list_command
from api.cli.output import moment
from api.cli.parameter_options import LongHelp, parameter_options
from api.client.nouns import estimations
from api.http.schemas.schedules import ScheduleView
from registry.estimations.schemas import EstimationParameters
from registry.query_generations.schemas import GenerationParameters
from registry.schedules.schemas import ScheduleInput, SchedulePatch

ScheduleArgument = Annotated[str, typer.Argument(metavar="SCHEDULE", help="The schedule's name or id.")]
_find = one_of(estimations.list_schedules(), "name", "id", what="schedule")


@list_command("schedules")
def list_schedules(env: Environment) -> None:
    """List the schedules and when each is due."""
    env.show_list(
        env.newest(estimations.list_schedules()),
        {
            "name": "name",
            "times": "cron",
            "zone": "timezone",
            "starts": lambda schedule: schedule.parameters.get("kind") or schedule.parameters.get("method", ""),
            "next (UTC)": _next_run,
        },
        if_empty="There are no schedules: `credence schedules add`.",
        fixed=("times", "next (UTC)"),
    )


@command("schedules", cls=LongHelp)
@parameter_options(
    ScheduleInput, name="NAME", cron="CRON", enabled="--enabled/--disabled", left_out=("parameters", "generate")
)
@parameter_options(EstimationParameters)
def add(
    env: Environment,
    schedule: ScheduleInput,
    parameters: EstimationParameters,
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
    values = schedule.model_copy(update={"parameters": parameters, "generate": written})
    _print(env, env.send(estimations.create_schedule(values)), "Added")


@command("schedules")
@parameter_options(SchedulePatch, enabled="--enabled/--disabled", left_out=("parameters", "generate"))
def update(env: Environment, schedule: ScheduleArgument, patch: SchedulePatch) -> None:
    """Change a schedule, or switch it off. What you leave out stays the same."""
    _, changed = env.on(_find, schedule, lambda found: estimations.update_schedule(found.id, patch))
    _print(env, changed, "Changed")


@command("schedules", json=False)
def remove(env: Environment, schedule: ScheduleArgument) -> None:
    """Remove a schedule. The runs that it started stay."""
    removed, _ = env.on(_find, schedule, lambda found: estimations.delete_schedule(found.id))
    env.print_note(f"Removed the schedule {removed.name}.")


def _print(env: Environment, schedule: ScheduleView, action: str) -> None:
    env.print_result(schedule, f"{action} {schedule.name}; next: {_next_run(schedule)}.")


def _next_run(schedule: ScheduleView) -> Text:
    times = schedule.next_runs
    return moment(times[0]) if times else Text("disabled" if not schedule.enabled else "never", style="dim")
