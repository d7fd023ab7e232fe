"""`credence connectors`: documents from folders, tables, feeds and sites."""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from api.cli.connection import Service, by_reference
from api.cli.environment import Environment, parse_input
from api.cli.options import command, list_command
from api.cli.output import cell, moment, print_json, table
from api.cli.parameter_options import name_and_value
from api.client.nouns import connectors
from api.http.schemas.connectors import ConnectorView
from api.text import clean, plural
from registry.connectors.kinds import CONNECTORS, Kind, kind_named
from registry.connectors.result_schemas import ConnectorReport
from registry.connectors.schemas import ConnectorInput, ConnectorPatch
from registry.platform.errors import Conflict, FetchFailed, InvalidInput

POLL_SECONDS = 0.2
app = typer.Typer(add_completion=False)

COUNTS = ("created", "updated", "unchanged", "deleted", "rejected")
ConnectorArgument = Annotated[str, typer.Argument(metavar="CONNECTOR", help="The connector's name or id.")]
Contradictions = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="Report contradictions between new documents and other sources, with at most N readings a run.",
    ),
]
KINDS_HELP = "; ".join(f"{kind.name}: {kind.summary}" for kind in CONNECTORS) + "."


@list_command(app)
def list_connectors(env: Environment) -> None:
    """List the connectors, their schedules and the result of their last run."""
    with env.service() as service:
        views = service.newest(connectors.list_connectors(corpus=env.corpus))
    rows = table(
        "name", "kind", "times", "status", "documents", "not read", "ended (UTC)", fixed=("times", "ended (UTC)")
    )
    for view in views:
        counts = f"+{view.report.created} ~{view.report.updated} -{view.report.deleted}" if view.report else ""
        failed = str(view.report.failed + view.report.rejected) if view.report else ""
        status = view.status.value if view.status else "never ran"
        rows.add_row(
            cell(view.name), view.kind.value, cell(view.cron or ""), status, counts, failed, moment(view.finished_at)
        )
    env.show_list(views, rows, if_empty="There are no connectors: `credence connectors add`.")


@command(app)
def add(  # noqa: PLR0913, PLR0917 - each is an option
    env: Environment,
    name: Annotated[str, typer.Argument(help="Unique in the corpus.")],
    kind: Annotated[Kind, typer.Argument(help=KINDS_HELP)],
    places: Annotated[list[str] | None, typer.Argument(metavar="PLACES...", help="Path, or addresses.")] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Another field, such as source=Herald; see docs/connectors.md."
        ),
    ] = None,
    cron: Annotated[str | None, typer.Option(help='When it runs: "0 * * * *" is every hour.')] = None,
    timezone: Annotated[str | None, typer.Option(help="Time zone of the schedule.", show_default="UTC")] = None,
    contradictions: Contradictions = None,
) -> None:
    """Add a connector. `run` runs it."""
    config = _config(kind, {}, places, fields)
    times = {"cron": cron, "timezone": timezone}
    values = parse_input(ConnectorInput, name=name, kind=kind, config=config, contradictions=contradictions, **times)

    view = env.send(connectors.create_connector(values, corpus=env.corpus))
    env.print_result(view, f"Added {view.name}. It reads on `credence connectors run {view.name}`.")


@command(app)
def show(env: Environment, connector: ConnectorArgument) -> None:
    """Show a connector, its schedule and the report of its last run."""

    with env.service() as service:
        view = _find(env, service, connector)
    if env.as_json:
        print_json(view)
        return
    env.out.print(Text.assemble((clean(view.name), "bold"), (f"  {view.kind.value}, {view.id}", "dim")), soft_wrap=True)
    for name, value in view.config.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        env.out.print(Text(clean(f"{name}: {shown}")), soft_wrap=True)
    times = f"{view.cron}; next (UTC): {moment(view.next_runs[0])}" if view.next_runs else view.cron or "on request"
    env.out.print(Text(clean(f"Runs: {times}")), soft_wrap=True)
    ended = f", ended {moment(view.finished_at)} UTC" if view.finished_at else ""
    env.out.print(f"Last run: {view.status.value if view.status else 'never'}{ended}")
    if view.problem is not None:
        env.out.print(Text(clean(view.problem.detail), style="red"), soft_wrap=True)
    if view.report is not None:
        _print_counts(env, view.report)


@command(app)
def update(  # noqa: PLR0913, PLR0917 - each is an option
    env: Environment,
    connector: ConnectorArgument,
    places: Annotated[
        list[str] | None, typer.Argument(metavar="[PLACES]...", help="New path, or all new addresses.")
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another field; NAME=null removes it."),
    ] = None,
    cron: Annotated[str | None, typer.Option(help='When it runs: "0 * * * *" is every hour.')] = None,
    timezone: Annotated[str | None, typer.Option(help="Time zone of the schedule.")] = None,
    on_request: Annotated[bool, typer.Option("--on-request", help="Run it on request only.")] = False,
    contradictions: Contradictions = None,
) -> None:
    """Change what a connector reads, or when. What you leave out stays the same."""

    if on_request and cron is not None:
        raise InvalidInput("Either --cron or --on-request, not both.")
    with env.service() as service:
        found = _find(env, service, connector)
        config = _config(found.kind, found.config, places, fields) if places or fields else None
        times = {"cron": cron, "timezone": timezone}
        patch = parse_input(ConnectorPatch, config=config, contradictions=contradictions, **times)
        if on_request:
            patch = patch.model_copy(update={"cron": None})
        view = service.send(connectors.update_connector(found.id, patch, corpus=env.corpus))
    env.print_result(view, f"Changed {view.name}. It reads on `credence connectors run {view.name}`.")


@command(app)
def run(env: Environment, connector: ConnectorArgument) -> None:
    """Run a connector: read what changed, and delete documents that are gone. Status 1 if something failed."""

    with env.service() as service:
        found = _find(env, service, connector)
        with env.err.status("Reading ..."):
            # One that is queued or under way is gone on with.
            with suppress(Conflict):
                service.send(connectors.run_connector(found.id, corpus=env.corpus))
            view = service.send(connectors.get_connector(found.id, corpus=env.corpus))
            with service.working_on("connector", found.id):
                while view.status is None or not view.status.ended:
                    time.sleep(POLL_SECONDS)
                    view = service.send(connectors.get_connector(found.id, corpus=env.corpus))
    _print_report(env, view)


@command(app, json=False)
def remove(env: Environment, connector: ConnectorArgument) -> None:
    """Remove a connector and its schedule. Its documents stay."""

    with env.service() as service:
        found = _find(env, service, connector)
        service.send(connectors.delete_connector(found.id, corpus=env.corpus))
    env.print_note(f"Removed the connector {found.name}.")


def _print_report(env: Environment, view: ConnectorView) -> None:
    report = view.report
    if env.as_json:
        print_json(view)
    elif report is not None:
        _print_counts(env, report)
    if view.problem is not None:
        raise FetchFailed(view.problem.detail)
    if report is None or report.failed or report.rejected:
        raise typer.Exit(1)


def _print_counts(env: Environment, report: ConnectorReport) -> None:
    for problem in report.problems:
        place = f"{problem.location} {problem.external_id or ''}".strip()
        env.err.print(Text.assemble(("Not read  ", "red"), clean(f"{place}: {problem.error}")), soft_wrap=True)
    env.out.print(", ".join(f"{getattr(report, status):,} {status}" for status in COUNTS) + ".")
    if report.contradictions:
        found = plural(report.contradictions, "contradiction")
        env.out.print(f"{found} of new documents: `GET /disputes/documents`, or the page Disputes.")


def _config(
    kind: Kind, present: Mapping[str, Any], places: list[str] | None, fields: list[str] | None
) -> dict[str, Any]:
    """The present configuration with what was typed; a path counts from the present folder, and is stored whole."""
    main_field = kind_named(kind).main_field
    config = {**present, **dict(map(name_and_value, fields or []))}
    if places:
        config[main_field] = places if main_field == "urls" else places[0]
    if isinstance(path := config.get("path"), str) and path.strip():
        config["path"] = str(Path(path).expanduser().absolute())
    return {name: value for name, value in config.items() if value is not None}


def _find(env: Environment, service: Service, reference: str) -> ConnectorView:
    """A connector by its name, which is unique, or by its id."""
    listed = service.newest(connectors.list_connectors(corpus=env.corpus))
    return by_reference(reference, listed, "name", "id", what="connector")
