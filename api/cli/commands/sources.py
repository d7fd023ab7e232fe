"""`credence sources`: publishers, and how reliable each is."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from api.cli.connection import Service
from api.cli.environment import Environment, parse_input
from api.cli.options import SourceArgument, YesOption, command, list_command
from api.cli.output import print_json, print_lines, print_table, say, table
from api.cli.parameter_options import parameter_options
from api.cli.reports.estimation import print_reliabilities, print_source, print_vote
from api.client.call import Operation
from api.client.nouns import sources
from api.http.schemas.base import View
from api.http.schemas.sources import PastEstimate, SourceView, SourceWithReliability
from api.text import plural
from registry.estimations.schemas import Topic
from registry.platform.enums import SourceStatus
from registry.sources.schemas import CopyGroup, JointDissent, OverrideInput, RatingInput, SourceInput, SourcePatch

SHOWN_RUNS = 5
SHOWN_VOTES = 20


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


@list_command("sources")
def list_sources(
    env: Environment,
    status: Annotated[SourceStatus | None, typer.Option(help="Only sources of this status.")] = None,
    wide: Annotated[bool, typer.Option("--wide", "-w", help="Show external ids, ages and weights too.")] = False,
) -> None:
    """List all sources with their reliability, the most reliable first."""
    with env.service() as service:
        listed = service.newest(sources.list_sources(status=status))
        if env.as_json:
            print_lines(listed)
            return
        found = _current_outcome(service, listed)
    of_run = (found.copy_groups, found.joint_dissents, found.topics) if found else ()
    print_reliabilities(env.out, listed, *of_run, wide=wide)
    if listed and listed[0].reliability.estimation_id is None:
        env.out.print(Text("Nothing is estimated yet: `credence estimate`.", style="dim"))


def _current_outcome(service: Service, listed: Sequence[SourceWithReliability]) -> _Outcome | None:
    """The copy groups, joint dissents and topics of the current estimation."""
    run_id = listed[0].reliability.estimation_id if listed else None
    return None if run_id is None else service.send(_GET_RUN(run_id)).outcome


@command("sources")
def show(env: Environment, source: SourceArgument) -> None:
    """Show a source, its reliability, and its earlier estimates."""
    with env.service() as service:
        found = _find(service, source)
        history = service.newest(sources.list_reliability_history(found.id), SHOWN_RUNS)
    if env.as_json:
        print_json(SourceWithHistory(**found.model_dump(), history=history))
    else:
        print_source(env.out, found, history)


@command("sources")
def explain(
    env: Environment,
    source: SourceArgument,
    against: Annotated[bool, typer.Option("--against", help="Only votes against the answer of the run.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Most votes to show; 0 shows all.")] = SHOWN_VOTES,
) -> None:
    """Show the votes behind the reliability of a source, with quotes; wrong votes first."""
    with env.service() as service:
        call = sources.list_source_votes(service.source(source), against=against, limit=limit or None)
        explained = service.send(call)
    if env.as_json:
        print_lines(explained.items)
        return
    for vote in explained.items:
        print_vote(env.out, vote)
    shown = len(explained.items)
    summary = f"{plural(explained.votes, 'vote')}, {explained.agreeing:,} with the run's answer; {shown:,} shown."
    say(env.out, summary, style="dim")


@command("sources")
def influence(env: Environment, source: SourceArgument) -> None:
    """Show the queries whose answer would be another one without a source."""
    with env.service() as service:
        found = service.send(sources.get_influence(service.source(source)))
    if env.as_json:
        print_json(found)
        return
    rows = table(
        found.changed,
        {"query": "query_text", "answer": "answer", "without it": "without"},
    )
    print_table(env.out, rows, if_empty="No answer would be another one without it.")
    env.out.print(Text(f"{len(found.changed):,} of {found.queries:,} queries on which it votes.", style="dim"))


@command("sources")
def copies(env: Environment) -> None:
    """Show which sources copy each other, by the current estimation."""
    with env.service() as service:
        outcome = _current_outcome(service, service.newest(sources.list_sources()))
    env.show_list(
        outcome.copy_groups if outcome else [],
        {
            "sources that copy": "source_names",
            "took from": lambda group: (
                group.original_id and group.source_names[group.source_ids.index(group.original_id)]
            ),
            "shared errors": lambda group: round(group.shared_wrong),
            "expected": lambda group: round(group.expected),
            "log odds": "log_odds",
        },
        if_empty="No estimation found copies.",
    )


@command("sources")
@parameter_options(SourcePatch, allowed_groups="--group", left_out=("status",))
def add(
    env: Environment,
    external_id: Annotated[str, typer.Argument(help="Your own identifier, unique in the corpus.")],
    given: SourcePatch,
) -> None:
    """Register a source. Its name is the external id unless you give another."""
    fields = {"name": external_id, **given.model_dump(exclude_unset=True)}
    _print(env, env.send(sources.create_source(parse_input(SourceInput, external_id=external_id, **fields))), "Added")


@command("sources")
@parameter_options(SourcePatch, allowed_groups="--group")
def update(
    env: Environment,
    source: SourceArgument,
    patch: SourcePatch,
    for_everybody: Annotated[
        bool, typer.Option("--for-everybody", help="Let everybody see its documents who may read the corpus.")
    ] = False,
) -> None:
    """Change a source. What you leave out stays the same."""
    values = patch.model_copy(update={"allowed_groups": None} if for_everybody else {})
    _, changed = env.on(_find, source, lambda found: sources.update_source(found.id, values))
    _print(env, changed, "Changed")


@command("sources", json=False)
def delete(env: Environment, source: SourceArgument, yes: YesOption = False) -> None:
    """Delete a source and its documents; not while an estimation is running."""
    sure = None if yes else lambda found: f"Delete {found.name} and all its documents?"
    found, _ = env.on(_find, source, lambda found: sources.delete_source(found.id), sure)
    env.print_note(f"Deleted {found.name}.")


@command("sources")
@parameter_options(OverrideInput, reliability="RELIABILITY")
def override(env: Environment, source: SourceArgument, values: OverrideInput) -> None:
    """Set the reliability of a source by hand. Estimations do not overwrite it."""
    found, by_hand = env.on(_find, source, lambda found: sources.set_override(found.id, values))
    env.print_result(by_hand, f"{found.name} counts {by_hand.reliability:.2f} from now on.")


@command("sources", json=False)
def unoverride(env: Environment, source: SourceArgument) -> None:
    """Remove the override; the estimate counts again."""
    found, _ = env.on(_find, source, lambda found: sources.delete_override(found.id))
    env.print_note(f"The estimate of {found.name} counts again.")


@command("sources")
@parameter_options(RatingInput, rating="RATING")
def rate(env: Environment, source: SourceArgument, values: RatingInput) -> None:
    """Set the rating of a source from an outside list, for later estimations."""
    found, stored = env.on(_find, source, lambda found: sources.set_rating(found.id, values))
    line = f"{found.name} is rated {stored.rating:.2f}; that counts as {stored.strength:g} votes in later estimations."
    env.print_result(stored, line)


@command("sources", json=False)
def unrate(env: Environment, source: SourceArgument) -> None:
    """Delete the rating of a source."""
    found, _ = env.on(_find, source, lambda found: sources.delete_rating(found.id))
    env.print_note(f"{found.name} has no rating any more.")


@command("sources", "import-ratings")
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

    columns = Columns(numbers=("rating", "strength"))
    import_files(env, files, None, lambda _service: sources.send_ratings(), columns)


def _find(service: Service, reference: str) -> SourceWithReliability:
    return service.send(sources.get_source(service.source(reference)))


def _print(env: Environment, source: SourceWithReliability, action: str) -> None:
    line = f"{action} {source.name} ({source.external_id}), {source.id}."
    env.print_result(SourceView.model_validate(source.model_dump()), line)
