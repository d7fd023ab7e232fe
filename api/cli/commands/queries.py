"""`credence queries`: the questions that reliability is estimated with."""

from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.environment import Environment, environment_of, newest, parse_input
from api.cli.import_progress import import_files
from api.cli.input_files import FileFormat
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, LimitOption, YesOption, confirm, list_command
from api.cli.output import cell, clean, print_json, print_lines, print_table, table
from api.http.schemas.queries import QueryView
from registry import ingest
from registry.errors import NotFound
from registry.inputs.queries import QueryInput, QueryPatch
from registry.models import Corpus, Query
from registry.store import queries

app = typer.Typer(add_completion=False)

QueryArgument = Annotated[str, typer.Argument(metavar="QUERY", help="The query's external id, or its id.")]


@list_command(app)
def list_queries(
    ctx: typer.Context, limit: LimitOption = 0, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Show the queries."""
    env = environment_of(ctx)
    listed = env.in_corpus(corpus, lambda session, owner: _all(session, owner, limit))
    if as_json:
        print_lines(map(QueryView.model_validate, listed))
        return
    rows = table("id", "question", "gold", "", right=("gold",))
    for query in listed:
        state = Text("" if query.active else "inactive", style="dim")
        rows.add_row(cell(query.external_id), cell(query.text), str(len(query.gold_answers or [])), state)
    print_table(env.out, rows, if_empty="There are no queries: `credence queries import`.")


@app.command()
def add(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(help="The question.")],
    external_id: Annotated[str, typer.Option("--id", help="Your own identifier, unique in the corpus.")],
    gold: Annotated[
        list[str] | None, typer.Option(help="A right answer; repeat for more. Used for audits only.")
    ] = None,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Add a query, or replace the one with this identifier."""
    env = environment_of(ctx)
    values = parse_input(QueryInput, external_id=external_id, text=text, gold_answers=gold or None)
    row, created = env.in_corpus(corpus, lambda session, owner: queries.create(session, owner, values))
    _print(env, row, "Added" if created else "Replaced", as_json=as_json)


@app.command("import")
def import_queries(
    ctx: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="FILES...", help="NDJSON, also gzipped; - is standard input.")],
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Add queries from files, one JSON object a line: external_id, text, gold_answers."""
    import_files(environment_of(ctx), corpus, files, FileFormat.NDJSON, ingest.import_queries, as_json=as_json)


@app.command()
def activate(
    ctx: typer.Context, query: QueryArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Have estimations ask a query again."""
    _patch(environment_of(ctx), corpus, query, QueryPatch(active=True), as_json=as_json)


@app.command()
def deactivate(
    ctx: typer.Context, query: QueryArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Keep a query, but ask it no more."""
    _patch(environment_of(ctx), corpus, query, QueryPatch(active=False), as_json=as_json)


@app.command()
def delete(
    ctx: typer.Context, query: QueryArgument, yes: YesOption = False, corpus: CorpusOption = DEFAULT_CORPUS
) -> None:
    """Delete a query; past estimations keep what they found."""
    env = environment_of(ctx)
    row = env.in_corpus(corpus, lambda session, owner: _find(session, owner, query))
    confirm(f"Delete the query “{clean(row.text)}”?", yes=yes)
    env.in_corpus(corpus, lambda session, owner: queries.delete(session, owner, row.id))
    env.err.print(Text(f"Deleted {clean(row.external_id)}."), soft_wrap=True)


def _patch(env: Environment, corpus: str, ref: str, patch: QueryPatch, *, as_json: bool) -> None:
    async def work(session: AsyncSession, owner: Corpus) -> Query:
        return await queries.update(session, owner, (await _find(session, owner, ref)).id, patch)

    _print(env, env.in_corpus(corpus, work), "Changed", as_json=as_json)


def _print(env: Environment, query: Query, action: str, *, as_json: bool) -> None:
    if as_json:
        print_json(QueryView.model_validate(query))
    else:
        state = "" if query.active else " (inactive)"
        env.out.print(Text(clean(f"{action} {query.external_id}{state}: {query.text}")), soft_wrap=True)


async def _all(session: AsyncSession, corpus: Corpus, limit: int = 0) -> list[Query]:
    return await newest(lambda cursor, size: queries.page(session, corpus, cursor=cursor, limit=size), limit)


async def _find(session: AsyncSession, corpus: Corpus, ref: str) -> Query:
    """A query by its external id or its id."""
    for query in await _all(session, corpus):
        if ref in {query.external_id, str(query.id)}:
            return query
    raise NotFound("query", ref)
