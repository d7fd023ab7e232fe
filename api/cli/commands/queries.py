"""`credence queries`: the questions that reliability is estimated with."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession
from uuid_utils.compat import uuid7

from api.cli.environment import Environment, newest, parse_input
from api.cli.import_progress import import_files
from api.cli.input_files import FileFormat
from api.cli.options import LimitOption, YesOption, command, confirm, list_command
from api.cli.output import cell, print_lines, print_table, table
from api.cli.parameter_options import LongHelp, parameter_options
from api.http.schemas.queries import GenerationView, QueryView
from api.text import clean, plural
from registry import ingest
from registry.errors import NotFound, RegistryError
from registry.estimation import query_generation
from registry.inputs.queries import QueryInput, QueryPatch
from registry.inputs.query_generations import GenerationParameters
from registry.inputs.query_lines import Converter, QueryFormat
from registry.models import Corpus, Query, QueryOrigin
from registry.results.ingest import LineStatus
from registry.store import queries

app = typer.Typer(add_completion=False)

_FORMATS = {".txt": QueryFormat.LINES, ".text": QueryFormat.LINES, ".csv": QueryFormat.CSV}
_ACTIONS = {LineStatus.CREATED: "Added", LineStatus.UPDATED: "Replaced", LineStatus.UNCHANGED: "Already there:"}
QueryArgument = Annotated[str, typer.Argument(metavar="QUERY", help="The query's external id, or its id.")]


@list_command(app)
def list_queries(env: Environment, limit: LimitOption = 0) -> None:
    """Show the queries."""
    listed = env.in_corpus(lambda session, owner: _all(session, owner, limit))
    if env.as_json:
        print_lines(map(QueryView.model_validate, listed))
        return
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
    print_table(env.out, rows, if_empty="There are no queries: `credence queries import`.")


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
    topic: Annotated[str | None, typer.Option(help="What it is about, in a word or two.")] = None,
) -> None:
    """Add a query, or replace the one with this identifier. Without one, the same text again is the same query."""
    values = parse_input(QueryInput, external_id=external_id, text=text, gold_answers=gold or None, topic=topic)
    row, status = env.in_corpus(lambda session, owner: queries.upsert(session, owner, uuid7(), values))
    _print(env, row, _ACTIONS[status])


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
        QueryFormat | None, typer.Option("--format", help="What the files hold, where their names do not tell.")
    ] = None,
) -> None:
    """Add queries from files. Fields of JSON and columns of CSV: text, external_id, gold_answers, topic."""

    def converter(name: str) -> Converter:
        suffixes = [suffix.lower() for suffix in Path(name).suffixes if suffix.lower() != ".gz"]
        by_name = _FORMATS.get(suffixes[-1] if suffixes else "", QueryFormat.NDJSON)
        return (query_format or by_name).converter()

    import_files(env, files, FileFormat.NDJSON, ingest.import_queries, converter=converter)


@command(app, cls=LongHelp)
@parameter_options(GenerationParameters)
def generate(
    env: Environment,
    parameters: GenerationParameters,
    wait: Annotated[bool, typer.Option("--wait/--detach", help="Work on it here, or leave it to a worker.")] = True,
) -> None:
    """Write queries from the documents: questions on facts that several sources state. Goes on where it ended last."""
    if wait:
        with env.err.status("Reading ..."):
            done = env.with_runtime(lambda runtime, owner: query_generation.run_now(runtime, owner, parameters))
    else:
        done = env.with_runtime(lambda runtime, owner: query_generation.start(runtime, owner, parameters))
    view = GenerationView.model_validate(done)
    if view.problem is not None:
        raise GenerationFailed(view.problem.detail)
    report = view.report
    added = f"Added {plural(report.queries, 'query', 'queries')}"
    said = f"{added} from {plural(report.documents, 'document')}, after {plural(report.readings, 'reading')}."
    env.print_result(view, said if wait else f"Queued as {view.id}; a worker will do it.")
    if wait and not env.as_json:
        written = env.in_corpus(lambda session, owner: _all(session, owner, origin=QueryOrigin.GENERATED))
        for query in written:
            if (query.provenance or {}).get("generation_id") == str(view.id):
                env.out.print(Text(clean(f"{query.text}  {query.external_id}")), soft_wrap=True)


class GenerationFailed(RegistryError):
    """A generation of queries ended without a result; the message says why."""


@command(app)
def activate(env: Environment, query: QueryArgument) -> None:
    """Have estimations ask a query again."""
    _patch(env, query, QueryPatch(active=True))


@command(app)
def deactivate(env: Environment, query: QueryArgument) -> None:
    """Keep a query, but ask it no more."""
    _patch(env, query, QueryPatch(active=False))


@command(app, json=False)
def delete(env: Environment, query: QueryArgument, yes: YesOption = False) -> None:
    """Delete a query; past estimations keep what they found."""
    row = env.in_corpus(lambda session, owner: find(session, owner, query))
    confirm(f"Delete the query “{clean(row.text)}”?", yes=yes)
    env.in_corpus(lambda session, owner: queries.delete(session, owner, row.id))
    env.print_note(f"Deleted {row.external_id}.")


def _patch(env: Environment, ref: str, patch: QueryPatch) -> None:
    async def work(session: AsyncSession, owner: Corpus) -> Query:
        return await queries.update(session, owner, (await find(session, owner, ref)).id, patch)

    _print(env, env.in_corpus(work), "Changed")


def _print(env: Environment, query: Query, action: str) -> None:
    state = "" if query.active else " (inactive)"
    env.print_result(QueryView.model_validate(query), f"{action} {query.external_id}{state}: {query.text}")


async def _all(session: AsyncSession, corpus: Corpus, limit: int = 0, origin: QueryOrigin | None = None) -> list[Query]:
    return await newest(
        lambda cursor, size: queries.page(session, corpus, cursor=cursor, limit=size, origin=origin), limit
    )


async def find(session: AsyncSession, corpus: Corpus, ref: str) -> Query:
    """A query by its external id or its id."""
    for query in await _all(session, corpus):
        if ref in {query.external_id, str(query.id)}:
            return query
    raise NotFound("query", ref)
