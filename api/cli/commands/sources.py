"""`credence sources`: the publishers, and how reliable each is."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from api.cli.connection import Service
from api.cli.environment import Environment, parse_input
from api.cli.options import SourceArgument, YesOption, command, confirm, list_command
from api.cli.output import ABSENT, cell, print_json, print_lines, print_table, table
from api.cli.reports.estimation import print_source, reliability_table, topic_table
from api.client.call import Operation
from api.client.nouns import sources
from api.http.schemas.base import View
from api.http.schemas.reliability_history import PastEstimate
from api.http.schemas.sources import SourceView, SourceWithReliability
from api.text import clean
from registry.estimations.topics.schemas import Topic
from registry.platform.enums import SourceStatus
from registry.sources.schemas import CopyGroup, JointDissent, OverrideInput, RatingInput, SourceInput, SourcePatch

app = typer.Typer(add_completion=False)

SHOWN_RUNS = 5
SHOWN_VOTES = 20
NameOption = Annotated[str | None, typer.Option(help="Name for people.")]
UrlOption = Annotated[str | None, typer.Option(help="Address at which it publishes.")]
DescriptionOption = Annotated[str | None, typer.Option(help="What it is.")]
GroupOption = Annotated[
    list[str] | None,
    typer.Option("--group", help="A group that may see its documents; repeat for more."),
]


class SourceWithHistory(SourceWithReliability):
    """A source, its reliability, and what the newest estimations found."""

    history: list[PastEstimate]


class _Outcome(View):
    copy_groups: list[CopyGroup]
    joint_dissents: list[JointDissent]
    topics: list[Topic]


class _Run(View):
    """The part of an estimation that a list of sources shows; its whole view imports the estimator."""

    outcome: _Outcome | None


_GET_RUN = Operation("GET /estimations/{estimation_id}", _Run)


@list_command(app)
def list_sources(
    env: Environment,
    status: Annotated[SourceStatus | None, typer.Option(help="Only sources of this status.")] = None,
    wide: Annotated[bool, typer.Option("--wide", "-w", help="Show external ids, ages and weights too.")] = False,
) -> None:
    """List all sources with their reliability, the most reliable first."""
    with env.service() as service:
        listed = service.newest(sources.list_sources(status=status, corpus=env.corpus))
        if env.as_json:
            print_lines(listed)
            return
        _print_reliabilities(env, service, listed, wide=wide)
    if listed and listed[0].reliability.estimation_id is None:
        env.out.print(Text("Nothing is estimated yet: `credence estimate`.", style="dim"))


def _print_reliabilities(
    env: Environment, service: Service, listed: Sequence[SourceWithReliability], *, wide: bool
) -> None:
    """The sources with their reliabilities, by topic too where the current estimation tells topics apart."""
    run_id = listed[0].reliability.estimation_id if listed else None
    found = None
    if run_id is not None:
        found = service.send(_GET_RUN(run_id, corpus=env.corpus)).outcome
    groups = (found.copy_groups, found.joint_dissents) if found else ()
    rows = reliability_table(listed, *groups, wide=wide)
    print_table(env.out, rows, if_empty="There are no sources: `credence sources add`.")
    if found is not None and found.topics:
        env.out.print(topic_table(listed, found.topics))


@command(app)
def show(env: Environment, source: SourceArgument) -> None:
    """Show a source, its reliability, and its earlier estimates."""

    with env.service() as service:
        reference = service.source(source, env.corpus)
        found = service.send(sources.get_source(reference, corpus=env.corpus))
        history = service.newest(sources.list_reliability_history(reference, corpus=env.corpus), SHOWN_RUNS)
    if env.as_json:
        print_json(SourceWithHistory(**found.model_dump(), history=history))
    else:
        print_source(env.out, found, history)


@command(app)
def explain(
    env: Environment,
    source: SourceArgument,
    against: Annotated[bool, typer.Option("--against", help="Only votes against the answer of the run.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Most votes to show; 0 shows all.")] = SHOWN_VOTES,
) -> None:
    """Show the votes behind the reliability of a source, with quotes; wrong votes first."""
    from api.cli.explanation import explain_source  # noqa: PLC0415  (reads the database)

    explain_source(env, source, only_against=against, limit=limit)


@command(app)
def influence(env: Environment, source: SourceArgument) -> None:
    """Show the queries whose answer would be another one without a source."""
    with env.service() as service:
        reference = service.source(source, env.corpus)
        found = service.send(sources.get_influence(reference, corpus=env.corpus))
    if env.as_json:
        print_json(found)
        return
    rows = table("query", "answer", "without it")
    for changed in found.changed:
        rows.add_row(*(cell(text or ABSENT) for text in (changed.query_text, changed.answer, changed.without)))
    print_table(env.out, rows, if_empty="No answer would be another one without it.")
    env.out.print(Text(f"{len(found.changed):,} of {found.queries:,} queries on which it votes.", style="dim"))


@command(app)
def copies(env: Environment) -> None:
    """Show which sources copy each other, over all estimations."""
    from api.cli.explanation import show_copies  # noqa: PLC0415  (imports the estimator)

    show_copies(env)


@command(app)
def add(
    env: Environment,
    external_id: Annotated[str, typer.Argument(help="Your own identifier, unique in the corpus.")],
    name: Annotated[str | None, typer.Option(help="Name for people.", show_default="the external id")] = None,
    url: UrlOption = None,
    description: DescriptionOption = None,
    group: GroupOption = None,
) -> None:
    """Register a source."""
    fields = {"name": name or external_id, "url": url, "description": description, "allowed_groups": group}
    values = parse_input(SourceInput, external_id=external_id, **fields)
    _print(env, env.send(sources.create_source(values, corpus=env.corpus)), "Added")


@command(app)
def update(
    env: Environment,
    source: SourceArgument,
    name: NameOption = None,
    url: UrlOption = None,
    description: DescriptionOption = None,
    group: GroupOption = None,
    for_everybody: Annotated[
        bool, typer.Option("--for-everybody", help="Let everybody see its documents who may read the corpus.")
    ] = False,
) -> None:
    """Change a source. What you leave out stays the same."""
    patch = parse_input(SourcePatch, name=name, url=url, description=description, allowed_groups=group)
    if for_everybody:
        patch = patch.model_copy(update={"allowed_groups": None})
    _patch(env, source, patch, "Changed")


@command(app)
def pause(env: Environment, source: SourceArgument) -> None:
    """Leave a source out of estimations and answers."""
    _patch(env, source, SourcePatch(status=SourceStatus.PAUSED), "Paused")


@command(app)
def resume(env: Environment, source: SourceArgument) -> None:
    """Use a paused or retired source again."""
    _patch(env, source, SourcePatch(status=SourceStatus.ACTIVE), "Resumed")


@command(app)
def retire(env: Environment, source: SourceArgument) -> None:
    """Keep a source for reference only; it takes no more documents."""
    _patch(env, source, SourcePatch(status=SourceStatus.RETIRED), "Retired")


@command(app, json=False)
def delete(env: Environment, source: SourceArgument, yes: YesOption = False) -> None:
    """Delete a source and its documents; not while an estimation is running."""
    with env.service() as service:
        found = _find(env, service, source)
        confirm(f"Delete {clean(found.name)} and all its documents?", yes=yes)
        service.send(sources.delete_source(str(found.id), corpus=env.corpus))
    env.print_note(f"Deleted {found.name}.")


@command(app)
def override(
    env: Environment,
    source: SourceArgument,
    reliability: Annotated[float, typer.Argument(min=0, max=1, help="The reliability to use instead of the estimate.")],
    reason: Annotated[str, typer.Option(help="The reason; stored with it.")],
) -> None:
    """Set the reliability of a source by hand. Estimations do not overwrite it."""
    values = parse_input(OverrideInput, reliability=reliability, reason=reason)
    with env.service() as service:
        found = _find(env, service, source)
        by_hand = service.send(sources.set_override(str(found.id), values, corpus=env.corpus))
    env.print_result(by_hand, f"{found.name} counts {by_hand.reliability:.2f} from now on.")


@command(app, json=False)
def unoverride(env: Environment, source: SourceArgument) -> None:
    """Remove the override; the estimate counts again."""
    with env.service() as service:
        found = _find(env, service, source)
        service.send(sources.delete_override(str(found.id), corpus=env.corpus))
    env.print_note(f"The estimate of {found.name} counts again.")


@command(app)
def rate(
    env: Environment,
    source: SourceArgument,
    rating: Annotated[float, typer.Argument(min=0, max=1, help="Expected share of its votes that are right.")],
    origin: Annotated[str, typer.Option(help="Origin of the rating; stored with it.")],
    strength: Annotated[float, typer.Option(min=0, help="Number of votes that it counts as.")] = 10.0,
) -> None:
    """Set the rating of a source from an outside list, for later estimations."""
    values = parse_input(RatingInput, rating=rating, strength=strength, origin=origin)
    with env.service() as service:
        found = _find(env, service, source)
        stored = service.send(sources.set_rating(str(found.id), values, corpus=env.corpus))
    line = f"{found.name} is rated {stored.rating:.2f}; that counts as {stored.strength:g} votes in later estimations."
    env.print_result(stored, line)


@command(app, json=False)
def unrate(env: Environment, source: SourceArgument) -> None:
    """Delete the rating of a source."""
    with env.service() as service:
        found = _find(env, service, source)
        service.send(sources.delete_rating(str(found.id), corpus=env.corpus))
    env.print_note(f"{found.name} has no rating any more.")


@command(app, "import-ratings")
def import_ratings(
    env: Environment,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILES...", help="NDJSON or CSV, also gzipped; - is NDJSON on standard input."),
    ],
) -> None:
    """Import ratings, one per line: external_id, rating, origin and optionally strength. CSV needs a header."""
    from api.cli.import_progress import import_files  # noqa: PLC0415  (imports what reads files)
    from api.cli.input_files import Columns  # noqa: PLC0415

    call = sources.send_ratings([], corpus=env.corpus)
    import_files(env, files, None, lambda _service: call, columns=Columns(numbers=("rating", "strength")))


def _find(env: Environment, service: Service, reference: str) -> SourceWithReliability:
    return service.send(sources.get_source(service.source(reference, env.corpus), corpus=env.corpus))


def _patch(env: Environment, reference: str, patch: SourcePatch, action: str) -> None:
    with env.service() as service:
        found = service.source(reference, env.corpus)
        changed = service.send(sources.update_source(found, patch, corpus=env.corpus))
    _print(env, changed, action)


def _print(env: Environment, source: SourceWithReliability, action: str) -> None:
    line = f"{action} {source.name} ({source.external_id}), {source.id}."
    env.print_result(SourceView.model_validate(source.model_dump()), line)
