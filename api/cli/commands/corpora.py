"""`credence corpora`: the namespaces of sources."""

from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.environment import Environment, environment_of, newest, parse_input
from api.cli.options import JsonOption, YesOption, confirm, list_command
from api.cli.output import cell, clean, moment, print_json, print_lines, print_table, table
from api.http.schemas.corpora import CorpusView
from registry.inputs.corpora import CorpusInput, CorpusPatch
from registry.models import Corpus
from registry.store import corpora

app = typer.Typer(add_completion=False)

NameArgument = Annotated[str, typer.Argument(metavar="CORPUS", help="The corpus's name.")]
DescriptionOption = Annotated[str | None, typer.Option(help="What it is about.")]


@list_command(app)
def list_corpora(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """Show all corpora."""
    env = environment_of(ctx)
    listed = env.in_transaction(
        lambda session: newest(lambda cursor, limit: corpora.page(session, cursor=cursor, limit=limit))
    )
    if as_json:
        print_lines(map(CorpusView.model_validate, listed))
        return
    rows = table("name", "description", "text search", "created", fixed=("created",))
    for corpus in listed:
        rows.add_row(cell(corpus.name), cell(corpus.description), cell(corpus.text_search), moment(corpus.created_at))
    print_table(env.out, rows, if_empty="There are no corpora.")


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
    env = environment_of(ctx)
    values = parse_input(CorpusInput, name=name, description=description, text_search=text_search)
    _print(env, env.in_transaction(lambda session: corpora.create(session, values)), "Added", as_json=as_json)


@app.command()
def show(ctx: typer.Context, name: NameArgument, as_json: JsonOption = False) -> None:
    """Show one corpus."""
    env = environment_of(ctx)
    _print(env, env.in_transaction(lambda session: corpora.get(session, name)), "", as_json=as_json)


@app.command()
def update(
    ctx: typer.Context, name: NameArgument, description: DescriptionOption = None, as_json: JsonOption = False
) -> None:
    """Change what is known about a corpus."""
    env = environment_of(ctx)
    patch = parse_input(CorpusPatch, description=description)

    async def work(session: AsyncSession) -> Corpus:
        return await corpora.update(session, await corpora.get(session, name), patch)

    _print(env, env.in_transaction(work), "Changed", as_json=as_json)


@app.command()
def delete(ctx: typer.Context, name: NameArgument, yes: YesOption = False) -> None:
    """Delete a corpus with everything in it."""
    env = environment_of(ctx)
    confirm(f"Delete the corpus {clean(name)} with its sources, documents, queries, estimations and answers?", yes=yes)

    async def work(session: AsyncSession) -> None:
        await corpora.delete(session, await corpora.get(session, name))

    env.in_transaction(work)
    env.err.print(Text(f"Deleted {clean(name)}."), soft_wrap=True)


def _print(env: Environment, corpus: Corpus, action: str, *, as_json: bool) -> None:
    if as_json:
        print_json(CorpusView.model_validate(corpus))
    else:
        line = f"{action} {corpus.name}: {corpus.description or 'no description'} ({corpus.text_search})".strip()
        env.out.print(Text(clean(line)), soft_wrap=True)
