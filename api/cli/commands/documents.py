"""`credence documents`: what a source published."""

from typing import Annotated

import typer

from api.cli.connection import Service
from api.cli.environment import Environment
from api.cli.options import LimitOption, SourceArgument, YesOption, command
from api.cli.output import print_json, say
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
        listed = service.newest(documents.list_documents(service.source(source)), limit)
    env.show_list(
        listed,
        {"id": "external_id", "title": "title", "published": "published_at", "stored (UTC)": "updated_at"},
        if_empty="It has no documents yet: `credence ingest SOURCE FILES...`.",
    )


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
        found = _find(service, source, document)
        if revision is None:
            view = service.send(documents.get_document(found.source_id, found.id))
        else:
            view = service.send(documents.get_revision(found.id, revision))
    if env.as_json:
        print_json(view)
        return
    published = f", published {view.published_at:%Y-%m-%d}" if view.published_at else ""
    about = f"  {found.external_id}, {view.media_type}{published}, {found.id}, revision {view.revision}"
    title = clean(view.title or found.external_id)
    say(env.out, (title, "bold"), (about, "dim"))
    for text in (view.url, view.content):
        if text:
            say(env.out, text)


@command(app, json=False)
def delete(env: Environment, source: SourceArgument, document: DocumentArgument, yes: YesOption = False) -> None:
    """Delete a document and its passages."""
    found, _ = env.on(
        lambda service, reference: _find(service, source, reference),
        document,
        lambda found: documents.delete_document(found.source_id, found.id),
        None if yes else lambda found: f"Delete the document {clean(found.external_id)} of {clean(source)}?",
    )
    env.print_note(f"Deleted {found.external_id}.")


def _find(service: Service, source: str, reference: str) -> DocumentSummary:
    """The document of a source with this external id, else with this id."""
    for found in service.send(documents.list_documents(service.source(source), reference=reference)).items:
        return found
    raise NotFound("document", reference)
