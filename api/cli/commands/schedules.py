"""`credence schedules`: when to estimate again."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.environment import Environment, newest, parse_input
from api.cli.options import command, list_command
from api.cli.output import cell, moment, print_lines, print_table, table
from api.cli.parameter_options import LongHelp, parameter_options
from api.http.schemas.schedules import ScheduleView
from registry.errors import NotFound
from registry.inputs.estimations import EstimationParameters
from registry.inputs.schedules import ScheduleInput, SchedulePatch
from registry.models import Corpus, Schedule
from registry.store import schedules

app = typer.Typer(add_completion=False)

ScheduleArgument = Annotated[str, typer.Argument(metavar="SCHEDULE", help="The schedule's name or id.")]


@list_command(app)
def list_schedules(env: Environment) -> None:
    """Show the schedules and when each is due."""
    listed = env.in_corpus(_all)
    if env.as_json:
        print_lines(map(ScheduleView.of, listed))
        return
    rows = table("name", "times", "zone", "starts", "next (UTC)", fixed=("times", "next (UTC)"))
    for schedule in listed:
        starts = str(schedule.parameters.get("kind") or schedule.parameters.get("method", ""))
        rows.add_row(cell(schedule.name), cell(schedule.cron), cell(schedule.timezone), starts, _next_run(schedule))
    print_table(env.out, rows, if_empty="There are no schedules: `credence schedules add`.")


@command(app, cls=LongHelp)
@parameter_options(EstimationParameters)
def add(
    env: Environment,
    name: Annotated[str, typer.Argument(help="Unique in the corpus.")],
    cron: Annotated[
        str, typer.Argument(help='Minute, hour, day, month, weekday: "0 3 * * *" is every night at three.')
    ],
    parameters: EstimationParameters,
    timezone: Annotated[str | None, typer.Option(help="The zone the times are meant in.", show_default="UTC")] = None,
    disabled: Annotated[bool, typer.Option("--disabled", help="Add it without starting it.")] = False,
) -> None:
    """Estimate again at these times."""
    values = parse_input(
        ScheduleInput, name=name, cron=cron, timezone=timezone, enabled=not disabled, parameters=parameters
    )
    schedule = env.in_corpus(lambda session, owner: schedules.create(session, owner, values))
    _print(env, schedule, "Added")


@command(app)
def enable(env: Environment, schedule: ScheduleArgument) -> None:
    """Let a schedule tick."""
    _patch(env, schedule, SchedulePatch(enabled=True))


@command(app)
def disable(env: Environment, schedule: ScheduleArgument) -> None:
    """Keep a schedule, but do not let it tick."""
    _patch(env, schedule, SchedulePatch(enabled=False))


@command(app, json=False)
def remove(env: Environment, schedule: ScheduleArgument) -> None:
    """Forget a schedule; the runs it started stay."""

    async def work(session: AsyncSession, owner: Corpus) -> Schedule:
        row = await _find(session, owner, schedule)
        await schedules.delete(session, owner, row.id)
        return row

    removed = env.in_corpus(work)
    env.print_note(f"Removed the schedule {removed.name}.")


def _patch(env: Environment, ref: str, patch: SchedulePatch) -> None:
    async def work(session: AsyncSession, owner: Corpus) -> Schedule:
        return await schedules.update(session, owner, (await _find(session, owner, ref)).id, patch)

    _print(env, env.in_corpus(work), "Changed")


def _print(env: Environment, schedule: Schedule, action: str) -> None:
    env.print_result(ScheduleView.of(schedule), f"{action} {schedule.name}; next: {_next_run(schedule)}.")


def _next_run(schedule: Schedule) -> Text:
    times = schedules.next_runs(schedule, 1, now=datetime.now(UTC))
    return moment(times[0]) if times else Text("disabled" if not schedule.enabled else "never", style="dim")


async def _all(session: AsyncSession, corpus: Corpus) -> list[Schedule]:
    return await newest(lambda cursor, limit: schedules.page(session, corpus, cursor=cursor, limit=limit))


async def _find(session: AsyncSession, corpus: Corpus, ref: str) -> Schedule:
    """A schedule by its name, which is unique, or by its id."""
    for schedule in await _all(session, corpus):
        if ref in {schedule.name, str(schedule.id)}:
            return schedule
    raise NotFound("schedule", ref)
