"""`credence corpora`: the namespaces."""

from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.lists import newest
from api.cli.options import JsonOption, YesOption, confirm, noun, pass_on
from api.cli.output import cell, clean, moment, print_json, print_lines, print_table, table
from api.cli.terminal import Terminal, given, terminal_of
from api.http.schemas.corpora import CorpusView
from registry.inputs.corpora import CorpusInput, CorpusPatch
from registry.models import Corpus
from registry.store import corpora

app = noun("Corpora: namespaces of sources that answer the same kind of question.")

NameArgument = Annotated[str, typer.Argument(metavar="CORPUS", help="The corpus's name.")]
DescriptionOption = Annotated[str | None, typer.Option(help="What it is about.")]


@app.callback()
def default(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """Corpora: namespaces of sources that answer the same kind of question."""
    if pass_on(ctx, as_json=as_json):
        _list(terminal_of(ctx), as_json=as_json)


@app.command("list")
def list_corpora(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """Show all corpora."""
    _list(terminal_of(ctx), as_json=as_json)


@app.command()
def add(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="Unique; part of every address below it.")],
    description: DescriptionOption = None,
    text_search: Annotated[
        str | None, typer.Option(help="Text search configuration of PostgreSQL.", show_default="english")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a corpus."""
    wanted = given(CorpusInput, name=name, description=description, text_search=text_search)
    _print(
        terminal_of(ctx),
        terminal_of(ctx).in_database(lambda session: corpora.create(session, wanted)),
        "Added",
        as_json=as_json,
    )


@app.command()
def show(ctx: typer.Context, name: NameArgument, as_json: JsonOption = False) -> None:
    """Show one corpus."""
    found = terminal_of(ctx).in_database(lambda session: corpora.get(session, name))
    _print(terminal_of(ctx), found, "", as_json=as_json)


@app.command()
def update(
    ctx: typer.Context, name: NameArgument, description: DescriptionOption = None, as_json: JsonOption = False
) -> None:
    """Change what is known about a corpus."""
    patch = given(CorpusPatch, description=description)

    async def work(session: AsyncSession) -> Corpus:
        return await corpora.update(session, await corpora.get(session, name), patch)

    _print(terminal_of(ctx), terminal_of(ctx).in_database(work), "Changed", as_json=as_json)


@app.command()
def delete(ctx: typer.Context, name: NameArgument, yes: YesOption = False) -> None:
    """Delete a corpus with everything in it."""
    terminal = terminal_of(ctx)
    confirm(f"Delete the corpus {clean(name)} with its sources, documents, queries, estimations and answers?", yes=yes)

    async def work(session: AsyncSession) -> None:
        await corpora.delete(session, await corpora.get(session, name))

    terminal.in_database(work)
    terminal.err.print(Text(f"Deleted {clean(name)}."), soft_wrap=True)


def _list(terminal: Terminal, *, as_json: bool) -> None:
    found = terminal.in_database(
        lambda session: newest(lambda cursor, limit: corpora.page(session, cursor=cursor, limit=limit))
    )
    if as_json:
        print_lines(map(CorpusView.model_validate, found))
        return
    made = table("name", "description", "text search", "created", fixed=("created",))
    for one in found:
        made.add_row(cell(one.name), cell(one.description), cell(one.text_search), moment(one.created_at))
    print_table(terminal.out, made, shown=len(found), nothing="There are no corpora.")


def _print(terminal: Terminal, corpus: Corpus, done: str, *, as_json: bool) -> None:
    if as_json:
        print_json(CorpusView.model_validate(corpus))
    else:
        line = f"{done} {corpus.name}: {corpus.description or 'no description'} ({corpus.text_search})".strip()
        terminal.out.print(Text(clean(line)), soft_wrap=True)
