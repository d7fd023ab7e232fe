"""`credence documents`: what a source published."""

from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncSession

from api.cli.environment import Environment, newest
from api.cli.options import LimitOption, SourceArgument, YesOption, command, confirm
from api.cli.output import cell, moment, print_json, print_lines, print_table, table
from api.http.schemas.documents import DocumentSummary, DocumentView
from api.text import clean
from registry.models import Corpus, Document
from registry.store import documents, sources

app = typer.Typer(add_completion=False, no_args_is_help=True)

DEFAULT_LIMIT = 20
DocumentArgument = Annotated[
    str, typer.Argument(metavar="DOCUMENT", help="The document's external id, or its id, from the list.")
]


@command(app, "list")
def list_documents(env: Environment, source: SourceArgument, limit: LimitOption = DEFAULT_LIMIT) -> None:
    """Show the newest documents of a source, the latest last."""

    async def work(session: AsyncSession, owner: Corpus) -> list[Document]:
        publisher = await sources.find(session, owner, source)
        return await newest(
            lambda cursor, size: documents.page(session, owner, publisher.id, cursor=cursor, limit=size), limit
        )

    listed = env.in_corpus(work)
    if env.as_json:
        print_lines(map(DocumentSummary.model_validate, listed))
        return
    rows = table("id", "title", "published", "stored (UTC)", fixed=("published", "stored (UTC)"))
    for document in listed:
        published = moment(document.published_at)
        rows.add_row(cell(document.external_id), cell(document.title), published, moment(document.updated_at))
    print_table(env.out, rows, if_empty="It has no documents yet: `credence ingest SOURCE FILES...`.")


@command(app)
def show(env: Environment, source: SourceArgument, document: DocumentArgument) -> None:
    """Show a document with its text, in which citations count characters."""
    view = DocumentView.model_validate(env.in_corpus(lambda session, owner: _find(session, owner, source, document)))
    if env.as_json:
        print_json(view)
        return
    published = f", published {view.published_at:%Y-%m-%d}" if view.published_at else ""
    about = f"  {view.external_id}, {view.media_type}{published}, {view.id}"
    env.out.print(Text.assemble((clean(view.title or view.external_id), "bold"), (clean(about), "dim")), soft_wrap=True)
    if view.url:
        env.out.print(Text(clean(view.url)), soft_wrap=True)
    env.out.print(Text(clean(view.content)), soft_wrap=True)


@command(app, json=False)
def delete(env: Environment, source: SourceArgument, document: DocumentArgument, yes: YesOption = False) -> None:
    """Delete a document with its passages."""
    row = env.in_corpus(lambda session, owner: _find(session, owner, source, document))
    confirm(f"Delete the document {clean(row.external_id)} of {clean(source)}?", yes=yes)
    env.in_corpus(lambda session, owner: documents.delete(session, owner, row.source_id, row.id))
    env.print_note(f"Deleted {row.external_id}.")


async def _find(session: AsyncSession, corpus: Corpus, source: str, document: str) -> Document:
    publisher = await sources.find(session, corpus, source)
    return await documents.find_of_source(session, publisher, document)
