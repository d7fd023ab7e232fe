"""`credence sources`: who publishes, and how far each can be trusted."""

from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli import source_changes
from api.cli.lists import newest
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, noun, pass_on
from api.cli.output import bar, clean, number, plural, print_json, print_lines, print_table, table
from api.cli.reliabilities import interval, reliability_table, told
from api.cli.terminal import Terminal, terminal_of
from api.http.schemas.sources import ReliabilityView, RunSourceView, SourceView, SourceWithReliability
from registry.estimation.copy_groups import Voice
from registry.models import Corpus, RunSource, Source, SourceStatus
from registry.store import reliabilities, sources
from registry.store.reliabilities import Reliabilities

app = noun("Sources: list, register, change, override.")

SHOWN_RUNS = 5
StatusOption = Annotated[SourceStatus | None, typer.Option(help="Only sources of this status.")]


class SourceWithHistory(SourceWithReliability):
    """A source, what it counts, and what the newest estimations found."""

    history: list[RunSourceView]


@app.callback()
def default(
    ctx: typer.Context, status: StatusOption = None, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Sources: list, register, change, override."""
    if pass_on(ctx, status=status, corpus=corpus, as_json=as_json):
        _list(terminal_of(ctx), corpus, status, as_json=as_json)


@app.command("list")
def list_sources(
    ctx: typer.Context, status: StatusOption = None, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Show all sources with their reliability, the most reliable first."""
    _list(terminal_of(ctx), corpus, status, as_json=as_json)


@app.command()
def show(
    ctx: typer.Context,
    source: source_changes.SourceArgument,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Show one source: what it is, what it counts, and how its estimate moved."""
    terminal = terminal_of(ctx)

    async def work(session: AsyncSession, owner: Corpus) -> tuple[Source, Reliabilities, list[RunSource]]:
        found = await sources.find(session, owner, source)
        current = await reliabilities.of_source(session, owner, found.id)
        past = await newest(
            lambda cursor, limit: reliabilities.history(session, owner, found.id, cursor=cursor, limit=limit),
            SHOWN_RUNS,
        )
        return found, current, past

    found, current, past = terminal.in_corpus(corpus, work)
    if as_json:
        print_json(
            SourceWithHistory(
                **SourceView.model_validate(found).model_dump(),
                reliability=ReliabilityView.of(current.sources[0], current.run),
                history=[RunSourceView.of(one) for one in past],
            )
        )
    else:
        _print_source(terminal, found, current, past)


source_changes.register(app)


def _list(terminal: Terminal, corpus: str, status: SourceStatus | None, *, as_json: bool) -> None:
    statuses = (status,) if status else tuple(SourceStatus)

    async def work(session: AsyncSession, owner: Corpus) -> tuple[Reliabilities, list[Source]]:
        current = await reliabilities.current_reliabilities(session, owner, statuses=statuses)
        if not as_json:
            return current, []
        return current, await newest(
            lambda cursor, limit: sources.page(session, owner, cursor=cursor, limit=limit, status=status)
        )

    current, found = terminal.in_corpus(corpus, work)
    if as_json:
        by_id = {one.source_id: one for one in current.sources}
        print_lines(SourceWithReliability.joined(one, by_id[one.id], current.run) for one in found if one.id in by_id)
        return
    print_table(
        terminal.out,
        reliability_table(current.sources),
        shown=len(current.sources),
        nothing="There are no sources: `credence sources add`.",
    )
    if current.sources and current.estimation_id is None:
        terminal.out.print(Text("Nothing is estimated yet: `credence estimate`.", style="dim"))


def _print_source(terminal: Terminal, source: Source, current: Reliabilities, past: list[RunSource]) -> None:
    out, standing = terminal.out, current.sources[0]
    out.print(Text.assemble((clean(source.name), "bold"), (f"  {clean(source.external_id)}, {source.status}", "dim")))
    for line in (source.description, source.url or "", str(source.id)):
        if line:
            out.print(Text(clean(line)), soft_wrap=True)
    votes = f"  {plural(standing.vote_count, 'vote')}"
    known = number(standing.reliability)
    out.print(
        Text.assemble(
            "Reliability ", bar(standing.reliability), " ", known, f", weight {number(standing.weight)}", votes
        )
    )
    if standing.lower is not None and standing.upper is not None:
        out.print(Text(f"Between {standing.lower:.2f} and {standing.upper:.2f}, as nine of ten such intervals hold."))
    if standing.voice is not None and current.run is not None:
        voice = Voice.model_validate(current.run.voices[standing.voice])
        out.print(Text(clean(told(voice))), soft_wrap=True)
    if standing.override is not None:
        who = f"Set by {standing.override.created_by}: {standing.override.reason}"
        out.print(Text(clean(f"{who} (estimate: {number(standing.estimated)})")), soft_wrap=True)
    made = table("estimation", "", "reliability", "90 %", "votes", "of run", right=("reliability", "90 %", "votes"))
    for one in past:
        shown = (bar(one.reliability), number(one.reliability), interval(one.lower, one.upper))
        made.add_row("", *shown, f"{one.vote_count:,}", str(one.estimation_id))
    if past:
        out.print(made)
