"""`credence connectors`: documents from folders, tables, feeds and sites."""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from api.cli.connection import one_of
from api.cli.environment import Environment, parse_input
from api.cli.options import command, list_command
from api.cli.output import moment, print_json, say
from api.cli.parameter_options import name_and_value, parameter_options
from api.client.nouns import connectors
from api.text import plural
from registry.connectors.kinds import CONNECTORS, Kind, kind_named
from registry.connectors.result_schemas import ConnectorReport
from registry.connectors.schemas import ConnectorInput, ConnectorPatch
from registry.platform.errors import Conflict, FetchFailed, InvalidInput

POLL_SECONDS = 0.2

COUNTS = ("created", "updated", "unchanged", "deleted", "rejected")
ConnectorArgument = Annotated[str, typer.Argument(metavar="CONNECTOR", help="The connector's name or id.")]
PlacesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="PLACES...", help="Path, or addresses, which replace all former ones.")
]
FieldsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Another field, such as source=Herald; NAME=null removes it. See docs/connectors.md.",
    ),
]
KINDS_HELP = "; ".join(f"{kind.name}: {kind.summary}" for kind in CONNECTORS) + "."
_find = one_of(connectors.list_connectors(), "name", "id", what="connector")


@list_command("connectors")
def list_connectors(env: Environment) -> None:
    """List the connectors, their schedules and the result of their last run."""
    env.show_list(
        env.newest(connectors.list_connectors()),
        {
            "name": "name",
            "kind": "kind",
            "times": "cron",
            "status": lambda view: view.status or "never ran",
            "documents": lambda view: (
                view.report and f"+{view.report.created} ~{view.report.updated} -{view.report.deleted}"
            ),
            "not read": lambda view: view.report and view.report.failed + view.report.rejected,
            "ended (UTC)": "finished_at",
        },
        if_empty="There are no connectors: `credence connectors add`.",
        fixed=("times",),
    )


@command("connectors")
@parameter_options(ConnectorPatch, left_out=("config",))
def add(
    env: Environment,
    name: Annotated[str, typer.Argument(help="Unique in the corpus.")],
    kind: Annotated[Kind, typer.Argument(help=KINDS_HELP)],
    given: ConnectorPatch,
    places: PlacesArgument = None,
    fields: FieldsOption = None,
) -> None:
    """Add a connector. `run` runs it."""
    config = _config(kind, {}, places, fields)
    values = parse_input(ConnectorInput, name=name, kind=kind, config=config, **given.model_dump(exclude_unset=True))
    view = env.send(connectors.create_connector(values))
    env.print_result(view, f"Added {view.name}. It reads on `credence connectors run {view.name}`.")


@command("connectors")
def show(env: Environment, connector: ConnectorArgument) -> None:
    """Show a connector, its schedule and the report of its last run."""
    with env.service() as service:
        view = _find(service, connector)
    if env.as_json:
        print_json(view)
        return
    say(env.out, (view.name, "bold"), (f"  {view.kind.value}, {view.id}", "dim"))
    times = f"{view.cron}; next (UTC): {moment(view.next_runs[0])}" if view.next_runs else view.cron or "on request"
    ended = f", ended {moment(view.finished_at)} UTC" if view.finished_at else ""
    config = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in view.config.items()
    }
    for name, value in (config | {"Runs": times, "Last run": f"{view.status or 'never'}{ended}"}).items():
        say(env.out, f"{name}: {value}")
    if view.problem is not None:
        say(env.out, view.problem.detail, style="red")
    if view.report is not None:
        _print_counts(env, view.report)


@command("connectors")
@parameter_options(ConnectorPatch, left_out=("config",))
def update(
    env: Environment,
    connector: ConnectorArgument,
    patch: ConnectorPatch,
    places: PlacesArgument = None,
    fields: FieldsOption = None,
    on_request: Annotated[bool, typer.Option("--on-request", help="Run it on request only.")] = False,
) -> None:
    """Change what a connector reads, or when. What you leave out stays the same."""
    if on_request and patch.cron is not None:
        raise InvalidInput("Either --cron or --on-request, not both.")
    changes: dict[str, object] = {"cron": None} if on_request else {}
    with env.service() as service:
        found = _find(service, connector)
        if places or fields:
            changes["config"] = _config(found.kind, found.config, places, fields)
        view = service.send(connectors.update_connector(found.id, patch.model_copy(update=changes)))
    env.print_result(view, f"Changed {view.name}. It reads on `credence connectors run {view.name}`.")


@command("connectors")
def run(env: Environment, connector: ConnectorArgument) -> None:
    """Run a connector: read what changed, and delete documents that are gone. Status 1 if something failed."""
    with env.service() as service:
        found = _find(service, connector)
        with env.err.status("Reading ..."):
            # One that is queued or under way is gone on with.
            with suppress(Conflict):
                service.send(connectors.run_connector(found.id))
            view = service.send(connectors.get_connector(found.id))
            with service.working_on("connector", found.id):
                while view.status is None or not view.status.ended:
                    time.sleep(POLL_SECONDS)
                    view = service.send(connectors.get_connector(found.id))
    report = view.report
    if env.as_json:
        print_json(view)
    elif report is not None:
        _print_counts(env, report)
    if view.problem is not None:
        raise FetchFailed(view.problem.detail)
    if report is None or report.failed or report.rejected:
        raise typer.Exit(1)


@command("connectors", json=False)
def remove(env: Environment, connector: ConnectorArgument) -> None:
    """Remove a connector and its schedule. Its documents stay."""
    found, _ = env.on(_find, connector, lambda found: connectors.delete_connector(found.id))
    env.print_note(f"Removed the connector {found.name}.")


def _print_counts(env: Environment, report: ConnectorReport) -> None:
    for problem in report.problems:
        place = f"{problem.location} {problem.external_id or ''}".strip()
        say(env.err, ("Not read  ", "red"), f"{place}: {problem.error}")
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
