"""`credence sources`: the publishers, and how reliable each is."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, TypeVar

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.environment import Environment, newest, parse_input, user_name
from api.cli.explanation import explain_source, show_copies
from api.cli.import_progress import import_files
from api.cli.options import SourceArgument, YesOption, command, confirm, list_command
from api.cli.output import print_json, print_lines, print_table
from api.cli.reports.estimation import print_source, reliability_table, topic_table
from api.http.schemas.sources import (
    OverrideView,
    RatingView,
    ReliabilityView,
    RunSourceView,
    SourceView,
    SourceWithReliability,
)
from api.text import clean
from registry import ingest
from registry.inputs.sources import OverrideInput, RatingInput, SourceInput, SourcePatch
from registry.models import Corpus, RunSource, Source, SourceStatus
from registry.store import ratings, reliabilities, sources
from registry.store.reliabilities import Reliabilities

app = typer.Typer(add_completion=False)

Result = TypeVar("Result")
SHOWN_RUNS = 5
SHOWN_VOTES = 20
NameOption = Annotated[str | None, typer.Option(help="Name for people.")]
UrlOption = Annotated[str | None, typer.Option(help="Where it publishes.")]
DescriptionOption = Annotated[str | None, typer.Option(help="What it is.")]


class SourceWithHistory(SourceWithReliability):
    """A source, its reliability, and what the newest estimations found."""

    history: list[RunSourceView]


@list_command(app)
def list_sources(
    env: Environment,
    status: Annotated[SourceStatus | None, typer.Option(help="Only sources of this status.")] = None,
    wide: Annotated[bool, typer.Option("--wide", "-w", help="Show external ids and weights too.")] = False,
) -> None:
    """Show all sources with their reliability, the most reliable first."""
    statuses = (status,) if status else tuple(SourceStatus)

    async def work(session: AsyncSession, owner: Corpus) -> tuple[Reliabilities, list[Source]]:
        current = await reliabilities.current_reliabilities(session, owner, statuses=statuses)
        if not env.as_json:
            return current, []
        return current, await newest(
            lambda cursor, limit: sources.page(session, owner, cursor=cursor, limit=limit, status=status)
        )

    current, listed = env.in_corpus(work)
    if env.as_json:
        by_id = {source.source_id: source for source in current.sources}
        print_lines(SourceWithReliability.joined(row, by_id[row.id], current.run) for row in listed if row.id in by_id)
        return
    rows = reliability_table(current.sources, wide=wide)
    print_table(env.out, rows, if_empty="There are no sources: `credence sources add`.")
    if current.run is not None and current.run.topics:
        env.out.print(topic_table(current.sources, current.run))
    if current.sources and current.estimation_id is None:
        env.out.print(Text("Nothing is estimated yet: `credence estimate`.", style="dim"))


@command(app)
def show(env: Environment, source: SourceArgument) -> None:
    """Show one source: what it is, its reliability, and what past estimations found."""

    async def work(session: AsyncSession, owner: Corpus) -> tuple[Source, Reliabilities, list[RunSource]]:
        row = await sources.find(session, owner, source)
        current = await reliabilities.of_source(session, owner, row.id)
        history = await newest(
            lambda cursor, limit: reliabilities.history(session, owner, row.id, cursor=cursor, limit=limit),
            SHOWN_RUNS,
        )
        return row, current, history

    row, current, history = env.in_corpus(work)
    if env.as_json:
        print_json(
            SourceWithHistory(
                **SourceView.model_validate(row).model_dump(),
                reliability=ReliabilityView.of(current.sources[0], current.run),
                history=[RunSourceView.model_validate(estimate) for estimate in history],
            )
        )
    else:
        print_source(env.out, row, current, history)


@command(app)
def explain(
    env: Environment,
    source: SourceArgument,
    against: Annotated[bool, typer.Option("--against", help="Only votes against the answer of the run.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Most votes to show; 0 shows all.")] = SHOWN_VOTES,
) -> None:
    """Show why a source has its reliability: the votes it cast, with quotes, those against the answers first."""
    explain_source(env, source, only_against=against, limit=limit)


@command(app)
def copies(env: Environment) -> None:
    """Show who copies whom, over all estimations."""
    show_copies(env)


@command(app)
def add(
    env: Environment,
    external_id: Annotated[str, typer.Argument(help="Your own identifier, unique in the corpus.")],
    name: Annotated[str | None, typer.Option(help="Name for people.", show_default="the external id")] = None,
    url: UrlOption = None,
    description: DescriptionOption = None,
) -> None:
    """Register a source."""
    values = parse_input(
        SourceInput, external_id=external_id, name=name or external_id, url=url, description=description
    )
    source = env.in_corpus(lambda session, owner: sources.create(session, owner, values))
    _print(env, source, "Added")


@command(app)
def update(
    env: Environment,
    source: SourceArgument,
    name: NameOption = None,
    url: UrlOption = None,
    description: DescriptionOption = None,
) -> None:
    """Change what is known about a source; what is left out stays."""
    patch = parse_input(SourcePatch, name=name, url=url, description=description)
    _patch(env, source, patch, "Changed")


@command(app)
def pause(env: Environment, source: SourceArgument) -> None:
    """Leave a source out of estimations and answers for the time being."""
    _patch(env, source, SourcePatch(status=SourceStatus.PAUSED), "Paused")


@command(app)
def resume(env: Environment, source: SourceArgument) -> None:
    """Take a paused or retired source back in."""
    _patch(env, source, SourcePatch(status=SourceStatus.ACTIVE), "Resumed")


@command(app)
def retire(env: Environment, source: SourceArgument) -> None:
    """Keep a source for the record only."""
    _patch(env, source, SourcePatch(status=SourceStatus.RETIRED), "Retired")


@command(app, json=False)
def delete(env: Environment, source: SourceArgument, yes: YesOption = False) -> None:
    """Delete a source with its documents; refused while an estimation is under way."""
    row = env.in_corpus(lambda session, owner: sources.find(session, owner, source))
    confirm(f"Delete {clean(row.name)} and all its documents?", yes=yes)
    env.in_corpus(lambda session, owner: sources.delete(session, owner, row.id))
    env.print_note(f"Deleted {row.name}.")


@command(app)
def override(
    env: Environment,
    source: SourceArgument,
    reliability: Annotated[float, typer.Argument(min=0, max=1, help="What counts instead of the estimate.")],
    reason: Annotated[str, typer.Option(help="Why; kept with it.")],
) -> None:
    """Set a source's reliability by hand; no estimation overwrites it."""
    values = parse_input(OverrideInput, reliability=reliability, reason=reason)

    row, by_hand = _on_source(
        env,
        source,
        lambda session, owner, row: sources.set_override(session, owner, row.id, values, user_name()),
    )
    line = f"{row.name} counts {by_hand.reliability:.2f} from now on."
    env.print_result(OverrideView.model_validate(by_hand), line)


@command(app, json=False)
def unoverride(env: Environment, source: SourceArgument) -> None:
    """Let the estimate count again."""
    row, _ = _on_source(env, source, lambda session, owner, row: sources.delete_override(session, owner, row.id))
    env.print_note(f"The estimate of {row.name} counts again.")


@command(app)
def rate(
    env: Environment,
    source: SourceArgument,
    rating: Annotated[float, typer.Argument(min=0, max=1, help="Expected share of its votes that are right.")],
    origin: Annotated[str, typer.Option(help="Where the rating comes from; kept with it.")],
    strength: Annotated[float, typer.Option(min=0, help="How many votes it counts as.")] = 10.0,
) -> None:
    """Give a source the rating of an outside list, which later estimations start from."""
    values = parse_input(RatingInput, rating=rating, strength=strength, origin=origin)
    row, (stored, _) = _on_source(
        env, source, lambda session, _owner, row: ratings.put(session, row, values, user_name())
    )
    line = f"{row.name} is rated {stored.rating:.2f}; that counts as {stored.strength:g} votes in later estimations."
    env.print_result(RatingView.model_validate(stored), line)


@command(app, json=False)
def unrate(env: Environment, source: SourceArgument) -> None:
    """Delete the rating of a source; later estimations do without it."""
    row, _ = _on_source(env, source, lambda session, owner, row: ratings.delete(session, owner, row.id))
    env.print_note(f"{row.name} has no rating any more.")


@command(app, "import-ratings")
def import_ratings(
    env: Environment,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILES...", help="NDJSON or CSV, also gzipped; - is NDJSON on standard input."),
    ],
) -> None:
    """Rate many sources, one a line: external_id, rating, origin and optionally strength; CSV has a header."""
    importer = partial(ingest.import_ratings, created_by=user_name())
    import_files(env, files, None, importer, number_columns=("rating", "strength"))


def _on_source(
    env: Environment, reference: str, change: Callable[[AsyncSession, Corpus, Source], Awaitable[Result]]
) -> tuple[Source, Result]:
    """The source, and what `change` returns for it, in one transaction."""

    async def work(session: AsyncSession, owner: Corpus) -> tuple[Source, Result]:
        row = await sources.find(session, owner, reference)
        return row, await change(session, owner, row)

    return env.in_corpus(work)


def _patch(env: Environment, reference: str, patch: SourcePatch, action: str) -> None:
    row, _ = _on_source(env, reference, lambda session, owner, row: sources.update(session, owner, row.id, patch))
    _print(env, row, action)


def _print(env: Environment, source: Source, action: str) -> None:
    line = f"{action} {source.name} ({source.external_id}), {source.id}."
    env.print_result(SourceView.model_validate(source), line)
