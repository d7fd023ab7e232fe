"""`credence documents`: what a source published."""

from typing import Annotated

import typer
from rich.text import Text

from api.cli.connection import Service
from api.cli.environment import Environment
from api.cli.options import LimitOption, SourceArgument, YesOption, command, confirm
from api.cli.output import cell, moment, print_json, table
from api.client.nouns import documents
from api.http.schemas.documents import DocumentSummary, DocumentView, RevisionView
from api.text import clean
from registry.platform.errors import NotFound

app = typer.Typer(add_completion=False, no_args_is_help=True)

DEFAULT_LIMIT = 20
DocumentArgument = Annotated[
    str, typer.Argument(metavar="DOCUMENT", help="The document's external id, or its id, from the list.")
]


@command(app, "list")
def list_documents(env: Environment, source: SourceArgument, limit: LimitOption = DEFAULT_LIMIT) -> None:
    """List the newest documents of a source, the latest last."""

    with env.service() as service:
        listed = service.newest(documents.list_documents(service.source(source, env.corpus), corpus=env.corpus), limit)
    rows = table("id", "title", "published", "stored (UTC)", fixed=("published", "stored (UTC)"))
    for document in listed:
        published = moment(document.published_at)
        rows.add_row(cell(document.external_id), cell(document.title), published, moment(document.updated_at))
    env.show_list(listed, rows, if_empty="It has no documents yet: `credence ingest SOURCE FILES...`.")


@command(app)
def show(
    env: Environment,
    source: SourceArgument,
    document: DocumentArgument,
    revision: Annotated[int | None, typer.Option(min=1, help="A former revision, by its number.")] = None,
) -> None:
    """Show a document and its text."""
    view: DocumentView | RevisionView
    with env.service() as service:
        found = _find(service, env.corpus, source, document)
        if revision is None:
            view = service.send(documents.get_document(str(found.source_id), found.id, corpus=env.corpus))
        else:
            view = service.send(documents.get_revision(found.id, revision, corpus=env.corpus))
    if env.as_json:
        print_json(view)
        return
    published = f", published {view.published_at:%Y-%m-%d}" if view.published_at else ""
    about = f"  {found.external_id}, {view.media_type}{published}, {found.id}, revision {view.revision}"
    title = clean(view.title or found.external_id)
    env.out.print(Text.assemble((title, "bold"), (clean(about), "dim")), soft_wrap=True)
    if view.url:
        env.out.print(Text(clean(view.url)), soft_wrap=True)
    env.out.print(Text(clean(view.content)), soft_wrap=True)


@command(app, json=False)
def delete(env: Environment, source: SourceArgument, document: DocumentArgument, yes: YesOption = False) -> None:
    """Delete a document and its passages."""
    with env.service() as service:
        row = _find(service, env.corpus, source, document)
        confirm(f"Delete the document {clean(row.external_id)} of {clean(source)}?", yes=yes)
        service.send(documents.delete_document(str(row.source_id), row.id, corpus=env.corpus))
    env.print_note(f"Deleted {row.external_id}.")


def _find(service: Service, corpus: str, source: str, reference: str) -> DocumentSummary:
    """The document of a source with this external id, else with this id."""
    publisher = service.source(source, corpus)
    call = documents.list_documents(publisher, reference=reference, corpus=corpus)
    for found in service.send(call).items:
        return found
    raise NotFound("document", reference)
