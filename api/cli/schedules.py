"""`credence schedules`: when to estimate again."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.lists import newest
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, noun, pass_on
from api.cli.output import cell, moment, print_json, print_lines, print_table, table
from api.cli.parameters import LabelsOption, MethodOption
from api.cli.terminal import Terminal, given, terminal_of
from api.http.schemas.schedules import ScheduleView
from registry.errors import NotFound
from registry.inputs.estimations import EstimationParameters
from registry.inputs.schedules import ScheduleInput, SchedulePatch
from registry.models import Corpus, Schedule
from registry.store import schedules

app = noun("When to estimate again; `credence worker` or `serve --all` keeps the times.")

ScheduleArgument = Annotated[str, typer.Argument(metavar="SCHEDULE", help="The schedule's name or id.")]


@app.callback()
def default(ctx: typer.Context, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False) -> None:
    """When to estimate again; `credence worker` or `serve --all` keeps the times."""
    if pass_on(ctx, corpus=corpus, as_json=as_json):
        _list(terminal_of(ctx), corpus, as_json=as_json)


@app.command("list")
def list_schedules(ctx: typer.Context, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False) -> None:
    """Show the schedules and when each is due."""
    _list(terminal_of(ctx), corpus, as_json=as_json)


@app.command()
def add(  # noqa: PLR0913, PLR0917  (one an option)
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="Unique in the corpus.")],
    cron: Annotated[
        str, typer.Argument(help='Minute, hour, day, month, weekday: "0 3 * * *" is every night at three.')
    ],
    timezone: Annotated[str | None, typer.Option(help="The zone the times are meant in.", show_default="UTC")] = None,
    disabled: Annotated[bool, typer.Option("--disabled", help="Add it without starting it.")] = False,
    method: MethodOption = None,
    labels: LabelsOption = None,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Estimate again at these times."""
    parameters = given(EstimationParameters, method=method, labels=labels)
    wanted = given(ScheduleInput, name=name, cron=cron, timezone=timezone, enabled=not disabled, parameters=parameters)
    made = terminal_of(ctx).in_corpus(corpus, lambda session, owner: schedules.create(session, owner, wanted))
    _show(terminal_of(ctx), made, "Added", as_json=as_json)


@app.command()
def enable(
    ctx: typer.Context, schedule: ScheduleArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Let a schedule tick."""
    _patch(terminal_of(ctx), corpus, schedule, SchedulePatch(enabled=True), as_json=as_json)


@app.command()
def disable(
    ctx: typer.Context, schedule: ScheduleArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Keep a schedule, but do not let it tick."""
    _patch(terminal_of(ctx), corpus, schedule, SchedulePatch(enabled=False), as_json=as_json)


@app.command()
def remove(ctx: typer.Context, schedule: ScheduleArgument, corpus: CorpusOption = DEFAULT_CORPUS) -> None:
    """Forget a schedule; the runs it started stay."""
    terminal = terminal_of(ctx)

    async def work(session: AsyncSession, owner: Corpus) -> Schedule:
        found = await _find(session, owner, schedule)
        await schedules.delete(session, owner, found.id)
        return found

    found = terminal.in_corpus(corpus, work)
    terminal.err.print(Text.assemble("Removed the schedule ", cell(found.name), "."), soft_wrap=True)


def _list(terminal: Terminal, corpus: str, *, as_json: bool) -> None:
    found = terminal.in_corpus(corpus, _all)
    if as_json:
        print_lines(map(ScheduleView.of, found))
        return
    made = table("name", "times", "zone", "method", "next (UTC)", fixed=("times", "next (UTC)"))
    for one in found:
        method = str(one.parameters.get("method", ""))
        made.add_row(cell(one.name), cell(one.cron), cell(one.timezone), method, _due(one))
    print_table(terminal.out, made, shown=len(found), nothing="There are no schedules: `credence schedules add`.")


def _patch(terminal: Terminal, corpus: str, ref: str, patch: SchedulePatch, *, as_json: bool) -> None:
    async def work(session: AsyncSession, owner: Corpus) -> Schedule:
        found = await _find(session, owner, ref)
        return await schedules.update(session, owner, found.id, patch)

    _show(terminal, terminal.in_corpus(corpus, work), "Changed", as_json=as_json)


def _show(terminal: Terminal, schedule: Schedule, done: str, *, as_json: bool) -> None:
    if as_json:
        print_json(ScheduleView.of(schedule))
        return
    due = Text.assemble(f"{done} ", cell(schedule.name), "; next: ", _due(schedule), ".")
    terminal.out.print(due, soft_wrap=True)


def _due(schedule: Schedule) -> Text:
    times = schedules.next_runs(schedule, 1, now=datetime.now(UTC))
    return moment(times[0]) if times else Text("disabled" if not schedule.enabled else "never", style="dim")


async def _all(session: AsyncSession, corpus: Corpus) -> list[Schedule]:
    return await newest(lambda cursor, limit: schedules.page(session, corpus, cursor=cursor, limit=limit))


async def _find(session: AsyncSession, corpus: Corpus, ref: str) -> Schedule:
    """A schedule by its name, which is unique, or by its id."""
    for one in await _all(session, corpus):
        if ref in {one.name, str(one.id)}:
            return one
    raise NotFound("schedule", ref)
