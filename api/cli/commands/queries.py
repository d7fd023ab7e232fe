"""`credence queries`: the questions that sources are compared on."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from api.cli.connection import one_of
from api.cli.environment import Environment
from api.cli.following import generation_line, wait_for_queries
from api.cli.options import LimitOption, WaitOption, YesOption, command, list_command
from api.cli.output import say
from api.cli.parameter_options import LongHelp, parameter_options
from api.client.nouns import queries
from api.http.schemas.queries import QueryView
from registry.platform.enums import QueryOrigin
from registry.platform.errors import InvalidInput
from registry.queries.lines import Converter, QueryFormat
from registry.queries.schemas import QueryInput, QueryPatch
from registry.query_generations.schemas import GenerationParameters

_FORMATS = {".txt": QueryFormat.LINES, ".text": QueryFormat.LINES, ".csv": QueryFormat.CSV}
_ACTIONS = {"created": "Added", "updated": "Replaced", "unchanged": "Already there:"}
QueryArgument = Annotated[str, typer.Argument(metavar="QUERY", help="The query's external id, or its id.")]
find = one_of(queries.list_queries(), "external_id", "id", what="query")


@list_command("queries")
def list_queries(env: Environment, limit: LimitOption = 0) -> None:
    """List the queries."""
    env.show_list(
        env.newest(queries.list_queries(), limit),
        {
            "id": "external_id",
            "question": "text",
            "topic": lambda query: query.topic or "",
            "gold": lambda query: len(query.gold_answers or []),
            "": _state,
        },
        if_empty="There are no queries: `credence queries import`.",
    )


@command("queries")
@parameter_options(QueryInput, text="TEXT", external_id="--id", gold_answers="--gold", left_out=("active",))
def add(env: Environment, new: QueryInput) -> None:
    """Add a query, or replace the one with this identifier. By default, the same text is the same query."""
    line = new.model_dump_json(exclude_unset=True).encode() + b"\n"
    with env.service() as service:
        (result,) = service.results(replace(queries.send_queries(), content=[line]))
        if result.id is None:
            raise InvalidInput(result.error or "")
        query = service.send(queries.get_query(result.id))
    _print(env, query, _ACTIONS[result.status])


@command("queries", "import")
def import_queries(
    env: Environment,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES...",
            help="*.txt: a question a line; *.csv: with a header; any other: NDJSON. Also gzipped; - is NDJSON on "
            "standard input.",
        ),
    ],
    query_format: Annotated[
        QueryFormat | None, typer.Option("--format", help="Format of the files, if their names do not show it.")
    ] = None,
) -> None:
    """Add queries from files. Fields of JSON and columns of CSV: text, external_id, gold_answers, topic."""
    from api.cli.import_progress import import_files  # noqa: PLC0415  (imports what reads files)
    from api.cli.input_files import FileFormat  # noqa: PLC0415

    def converter(name: str) -> Converter:
        suffixes = [suffix.lower() for suffix in Path(name).suffixes if suffix.lower() != ".gz"]
        by_name = _FORMATS.get(suffixes[-1] if suffixes else "", QueryFormat.NDJSON)
        return (query_format or by_name).converter()

    import_files(env, files, FileFormat.NDJSON, lambda _service: queries.send_queries(), converter=converter)


@command("queries", cls=LongHelp)
@parameter_options(GenerationParameters)
def generate(env: Environment, parameters: GenerationParameters, wait: WaitOption = True) -> None:
    """Write queries about facts that several sources state. Continues where the last generation ended."""
    with env.service() as service:
        view = service.send(queries.generate_queries(parameters))
        if wait:
            view = wait_for_queries(env, service, view)
        written = service.newest(queries.list_queries(origin=QueryOrigin.GENERATED)) if wait else []
    env.print_result(view, generation_line(view) if wait else f"Queued as {view.id}; a worker will do it.")
    for query in written if not env.as_json else []:
        if (query.provenance or {}).get("generation_id") == str(view.id):
            say(env.out, f"{query.text}  {query.external_id}")


@command("queries")
@parameter_options(QueryPatch, gold_answers="--gold")
def update(env: Environment, query: QueryArgument, patch: QueryPatch) -> None:
    """Change a query, or switch it off. What you leave out stays the same."""
    _, changed = env.on(find, query, lambda found: queries.update_query(found.id, patch))
    _print(env, changed, "Changed")


@command("queries", json=False)
def delete(env: Environment, query: QueryArgument, yes: YesOption = False) -> None:
    """Delete a query. Past estimations keep their results."""
    sure = None if yes else lambda found: f"Delete the query “{found.text}”?"
    deleted, _ = env.on(find, query, lambda found: queries.delete_query(found.id), sure)
    env.print_note(f"Deleted {deleted.external_id}.")


def _print(env: Environment, query: QueryView, action: str) -> None:
    state = "" if query.active else " (inactive)"
    env.print_result(query, f"{action} {query.external_id}{state}: {query.text}")


def _state(query: QueryView) -> Text:
    origin = "" if query.origin == QueryOrigin.GIVEN else query.origin
    return Text(" ".join(filter(None, [origin, "" if query.active else "inactive"])), style="dim")
