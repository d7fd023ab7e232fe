"""`credence schedules`: when to estimate again."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.environment import Environment, environment_of, newest, parse_input
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, list_command
from api.cli.output import cell, moment, print_json, print_lines, print_table, table
from api.cli.parameter_options import parameter_options
from api.http.schemas.schedules import ScheduleView
from registry.errors import NotFound
from registry.inputs.estimations import EstimationParameters
from registry.inputs.schedules import ScheduleInput, SchedulePatch
from registry.models import Corpus, Schedule
from registry.store import schedules

app = typer.Typer(add_completion=False)

ScheduleArgument = Annotated[str, typer.Argument(metavar="SCHEDULE", help="The schedule's name or id.")]


@list_command(app)
def list_schedules(ctx: typer.Context, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False) -> None:
    """Show the schedules and when each is due."""
    env = environment_of(ctx)
    listed = env.in_corpus(corpus, _all)
    if as_json:
        print_lines(map(ScheduleView.of, listed))
        return
    rows = table("name", "times", "zone", "method", "next (UTC)", fixed=("times", "next (UTC)"))
    for schedule in listed:
        method = str(schedule.parameters.get("method", ""))
        rows.add_row(cell(schedule.name), cell(schedule.cron), cell(schedule.timezone), method, _next_run(schedule))
    print_table(env.out, rows, if_empty="There are no schedules: `credence schedules add`.")


@app.command()
@parameter_options(EstimationParameters)
def add(  # noqa: PLR0913, PLR0917  (one an option)
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="Unique in the corpus.")],
    cron: Annotated[
        str, typer.Argument(help='Minute, hour, day, month, weekday: "0 3 * * *" is every night at three.')
    ],
    parameters: EstimationParameters,
    timezone: Annotated[str | None, typer.Option(help="The zone the times are meant in.", show_default="UTC")] = None,
    disabled: Annotated[bool, typer.Option("--disabled", help="Add it without starting it.")] = False,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Estimate again at these times."""
    env = environment_of(ctx)
    values = parse_input(
        ScheduleInput, name=name, cron=cron, timezone=timezone, enabled=not disabled, parameters=parameters
    )
    schedule = env.in_corpus(corpus, lambda session, owner: schedules.create(session, owner, values))
    _print(env, schedule, "Added", as_json=as_json)


@app.command()
def enable(
    ctx: typer.Context, schedule: ScheduleArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Let a schedule tick."""
    _patch(environment_of(ctx), corpus, schedule, SchedulePatch(enabled=True), as_json=as_json)


@app.command()
def disable(
    ctx: typer.Context, schedule: ScheduleArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Keep a schedule, but do not let it tick."""
    _patch(environment_of(ctx), corpus, schedule, SchedulePatch(enabled=False), as_json=as_json)


@app.command()
def remove(ctx: typer.Context, schedule: ScheduleArgument, corpus: CorpusOption = DEFAULT_CORPUS) -> None:
    """Forget a schedule; the runs it started stay."""
    env = environment_of(ctx)

    async def work(session: AsyncSession, owner: Corpus) -> Schedule:
        row = await _find(session, owner, schedule)
        await schedules.delete(session, owner, row.id)
        return row

    removed = env.in_corpus(corpus, work)
    env.err.print(Text.assemble("Removed the schedule ", cell(removed.name), "."), soft_wrap=True)


def _patch(env: Environment, corpus: str, ref: str, patch: SchedulePatch, *, as_json: bool) -> None:
    async def work(session: AsyncSession, owner: Corpus) -> Schedule:
        return await schedules.update(session, owner, (await _find(session, owner, ref)).id, patch)

    _print(env, env.in_corpus(corpus, work), "Changed", as_json=as_json)


def _print(env: Environment, schedule: Schedule, action: str, *, as_json: bool) -> None:
    if as_json:
        print_json(ScheduleView.of(schedule))
        return
    line = Text.assemble(f"{action} ", cell(schedule.name), "; next: ", _next_run(schedule), ".")
    env.out.print(line, soft_wrap=True)


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
