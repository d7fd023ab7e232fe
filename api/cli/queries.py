"""`credence queries`: the questions that reliability is estimated with."""

from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.feed import FileFormat
from api.cli.importing import import_files
from api.cli.lists import newest
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, LimitOption, YesOption, confirm, noun, pass_on
from api.cli.output import cell, clean, print_json, print_lines, print_table, table
from api.cli.terminal import Terminal, given, terminal_of
from api.http.schemas.queries import QueryView
from registry import ingest
from registry.errors import NotFound
from registry.inputs.queries import QueryInput, QueryPatch
from registry.models import Corpus, Query
from registry.store import queries

app = noun("Queries that reliability is estimated with; no answers are needed.")

QueryArgument = Annotated[str, typer.Argument(metavar="QUERY", help="The query's external id, or its id.")]


@app.callback()
def default(
    ctx: typer.Context, limit: LimitOption = 0, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Queries that reliability is estimated with; no answers are needed."""
    if pass_on(ctx, limit=limit, corpus=corpus, as_json=as_json):
        _list(terminal_of(ctx), corpus, limit, as_json=as_json)


@app.command("list")
def list_queries(
    ctx: typer.Context, limit: LimitOption = 0, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Show the queries."""
    _list(terminal_of(ctx), corpus, limit, as_json=as_json)


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
    terminal = terminal_of(ctx)
    wanted = given(QueryInput, external_id=external_id, text=text, gold_answers=gold or None)
    made, created = terminal.in_corpus(corpus, lambda session, owner: queries.create(session, owner, wanted))
    _print(terminal, made, "Added" if created else "Replaced", as_json=as_json)


@app.command("import")
def import_queries(
    ctx: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="FILES...", help="NDJSON, also gzipped; - is standard input.")],
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Add queries from files, one JSON object a line: external_id, text, gold_answers."""
    import_files(terminal_of(ctx), corpus, files, FileFormat.NDJSON, ingest.import_queries, as_json=as_json)


@app.command()
def activate(
    ctx: typer.Context, query: QueryArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Have estimations ask a query again."""
    _patch(terminal_of(ctx), corpus, query, QueryPatch(active=True), as_json=as_json)


@app.command()
def deactivate(
    ctx: typer.Context, query: QueryArgument, corpus: CorpusOption = DEFAULT_CORPUS, as_json: JsonOption = False
) -> None:
    """Keep a query, but ask it no more."""
    _patch(terminal_of(ctx), corpus, query, QueryPatch(active=False), as_json=as_json)


@app.command()
def delete(
    ctx: typer.Context, query: QueryArgument, yes: YesOption = False, corpus: CorpusOption = DEFAULT_CORPUS
) -> None:
    """Delete a query; past estimations keep what they found."""
    terminal = terminal_of(ctx)
    found = terminal.in_corpus(corpus, lambda session, owner: _find(session, owner, query))
    confirm(f"Delete the query “{clean(found.text)}”?", yes=yes)
    terminal.in_corpus(corpus, lambda session, owner: queries.delete(session, owner, found.id))
    terminal.err.print(Text(f"Deleted {clean(found.external_id)}."), soft_wrap=True)


def _list(terminal: Terminal, corpus: str, limit: int, *, as_json: bool) -> None:
    found = terminal.in_corpus(corpus, lambda session, owner: _all(session, owner, limit))
    if as_json:
        print_lines(map(QueryView.model_validate, found))
        return
    made = table("id", "question", "gold", "", right=("gold",))
    for one in found:
        state = "" if one.active else "inactive"
        made.add_row(cell(one.external_id), cell(one.text), str(len(one.gold_answers or [])), Text(state, style="dim"))
    print_table(terminal.out, made, shown=len(found), nothing="There are no queries: `credence queries import`.")


def _patch(terminal: Terminal, corpus: str, ref: str, patch: QueryPatch, *, as_json: bool) -> None:
    async def work(session: AsyncSession, owner: Corpus) -> Query:
        found = await _find(session, owner, ref)
        return await queries.update(session, owner, found.id, patch)

    _print(terminal, terminal.in_corpus(corpus, work), "Changed", as_json=as_json)


def _print(terminal: Terminal, query: Query, done: str, *, as_json: bool) -> None:
    if as_json:
        print_json(QueryView.model_validate(query))
    else:
        state = "" if query.active else " (inactive)"
        terminal.out.print(Text(clean(f"{done} {query.external_id}{state}: {query.text}")), soft_wrap=True)


async def _all(session: AsyncSession, corpus: Corpus, limit: int = 0) -> list[Query]:
    return await newest(lambda cursor, size: queries.page(session, corpus, cursor=cursor, limit=size), limit)


async def _find(session: AsyncSession, corpus: Corpus, ref: str) -> Query:
    """A query by its external id or its id."""
    for one in await _all(session, corpus):
        if ref in {one.external_id, str(one.id)}:
            return one
    raise NotFound("query", ref)
