"""`credence queries`: the questions that reliability is estimated with."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from api.cli.connection import Service, by_reference
from api.cli.environment import Environment, parse_input
from api.cli.first_estimation import generation_line, wait_for_queries
from api.cli.options import LimitOption, YesOption, command, confirm, list_command
from api.cli.output import cell, table
from api.cli.parameter_options import LongHelp, parameter_options
from api.client.nouns import queries
from api.http.schemas.queries import QueryView
from api.text import clean
from registry.platform.enums import AnswerPolicy, QueryOrigin
from registry.platform.errors import InvalidInput
from registry.queries.lines import Converter, QueryFormat
from registry.queries.schemas import QueryInput, QueryPatch
from registry.query_generations.schemas import GenerationParameters

app = typer.Typer(add_completion=False)

_FORMATS = {".txt": QueryFormat.LINES, ".text": QueryFormat.LINES, ".csv": QueryFormat.CSV}
_ACTIONS = {"created": "Added", "updated": "Replaced", "unchanged": "Already there:"}
QueryArgument = Annotated[str, typer.Argument(metavar="QUERY", help="The query's external id, or its id.")]


@list_command(app)
def list_queries(env: Environment, limit: LimitOption = 0) -> None:
    """List the queries."""
    with env.service() as service:
        listed = service.newest(queries.list_queries(corpus=env.corpus), limit)
    rows = table("id", "question", "topic", "gold", "", right=("gold",))
    for query in listed:
        origin = "" if query.origin == QueryOrigin.GIVEN else query.origin
        state = Text(" ".join(filter(None, [origin, "" if query.active else "inactive"])), style="dim")
        rows.add_row(
            cell(query.external_id),
            cell(query.text),
            cell(query.topic or ""),
            str(len(query.gold_answers or [])),
            state,
        )
    env.show_list(listed, rows, if_empty="There are no queries: `credence queries import`.")


@command(app)
def add(
    env: Environment,
    text: Annotated[str, typer.Argument(help="The question.")],
    external_id: Annotated[
        str | None,
        typer.Option("--id", help="Your own identifier, unique in the corpus; by default one derived from the text."),
    ] = None,
    gold: Annotated[
        list[str] | None,
        typer.Option(help="A right answer; repeat for more. Estimates judge votes by it; see `credence gold`."),
    ] = None,
    topic: Annotated[str | None, typer.Option(help="Topic of the query.")] = None,
    answers: Annotated[
        AnswerPolicy | None,
        typer.Option(help="Whether one imported answer is right, several may be, or they are numbers."),
    ] = None,
) -> None:
    """Add a query, or replace the one with this identifier. By default, the same text is the same query."""
    values = parse_input(
        QueryInput, external_id=external_id, text=text, gold_answers=gold or None, topic=topic, answers=answers
    )
    line = values.model_dump_json(exclude_unset=True).encode() + b"\n"
    with env.service() as service:
        (result,) = service.results(replace(queries.send_queries([], corpus=env.corpus), content=[line]))
        if result.id is None:
            raise InvalidInput(result.error or "")
        query = service.send(queries.get_query(result.id, corpus=env.corpus))
    _print(env, query, _ACTIONS[result.status])


@command(app, "import")
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

    call = queries.send_queries([], corpus=env.corpus)
    import_files(env, files, FileFormat.NDJSON, lambda _service: call, converter=converter)


@command(app, cls=LongHelp)
@parameter_options(GenerationParameters)
def generate(
    env: Environment,
    parameters: GenerationParameters,
    wait: Annotated[bool, typer.Option("--wait/--detach", help="Wait for the result, or leave it to a worker.")] = True,
) -> None:
    """Write queries about facts that several sources state. Continues where the last generation ended."""
    with env.service() as service:
        view = service.send(queries.generate_queries(parameters, corpus=env.corpus))
        if wait:
            view = wait_for_queries(env, service, view)
        written = service.newest(queries.list_queries(origin=QueryOrigin.GENERATED, corpus=env.corpus)) if wait else []
    env.print_result(view, generation_line(view) if wait else f"Queued as {view.id}; a worker will do it.")
    for query in written if not env.as_json else []:
        if (query.provenance or {}).get("generation_id") == str(view.id):
            env.out.print(Text(clean(f"{query.text}  {query.external_id}")), soft_wrap=True)


@command(app)
def activate(env: Environment, query: QueryArgument) -> None:
    """Use a query in estimations again."""
    _patch(env, query, QueryPatch(active=True))


@command(app)
def deactivate(env: Environment, query: QueryArgument) -> None:
    """Keep a query, but leave it out of estimations."""
    _patch(env, query, QueryPatch(active=False))


@command(app, json=False)
def delete(env: Environment, query: QueryArgument, yes: YesOption = False) -> None:
    """Delete a query. Past estimations keep their results."""
    with env.service() as service:
        row = find(service, env.corpus, query)
        confirm(f"Delete the query “{clean(row.text)}”?", yes=yes)
        service.send(queries.delete_query(row.id, corpus=env.corpus))
    env.print_note(f"Deleted {row.external_id}.")


def _patch(env: Environment, reference: str, patch: QueryPatch) -> None:
    with env.service() as service:
        found = find(service, env.corpus, reference)
        changed = service.send(queries.update_query(found.id, patch, corpus=env.corpus))
    _print(env, changed, "Changed")


def _print(env: Environment, query: QueryView, action: str) -> None:
    state = "" if query.active else " (inactive)"
    env.print_result(query, f"{action} {query.external_id}{state}: {query.text}")


def find(service: Service, corpus: str, reference: str) -> QueryView:
    """A query by its external id or its id."""
    listed = service.newest(queries.list_queries(corpus=corpus))
    return by_reference(reference, listed, "external_id", "id", what="query")
