"""`credence documents`, `ingest`, `search` and `export`: what sources published, and what a corpus holds."""

import sys
from contextlib import ExitStack, closing
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer
from pydantic import Field
from rich.padding import Padding
from rich.text import Text

from answering.parameters import Parameters
from api.cli.connection import Service
from api.cli.environment import Environment
from api.cli.import_progress import import_files
from api.cli.input_files import Columns, FormatOption
from api.cli.options import LimitOption, SourceArgument, YesOption, command
from api.cli.output import cell, number, print_json, print_lines, say
from api.cli.parameter_options import parameter_options
from api.client.call import Call
from api.client.nouns import documents
from api.client.nouns.corpora import export_table
from api.http.schemas.documents import DocumentSummary, DocumentView, RevisionView
from api.text import clean
from registry.documents.schemas import LineResult
from registry.documents.value_schemas import SOURCE, parse_columns
from registry.platform.enums import ExportName
from registry.platform.errors import InvalidInput, NotFound
from registry.search.schemas import SearchInput

DEFAULT_LIMIT = 20
DocumentArgument = Annotated[
    str, typer.Argument(metavar="DOCUMENT", help="The document's external id, or its id, from the list.")
]


@command("documents", "list")
def list_documents(env: Environment, source: SourceArgument, limit: LimitOption = DEFAULT_LIMIT) -> None:
    """List the newest documents of a source, the latest last."""
    with env.service() as service:
        listed = service.newest(documents.list_documents(service.source(source)), limit)
    env.show_list(
        listed,
        {"id": "external_id", "title": "title", "published": "published_at", "stored (UTC)": "updated_at"},
        if_empty="It has no documents yet: `credence ingest SOURCE FILES...`.",
    )


@command("documents")
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
    title = view.title or found.external_id
    say(env.out, (title, "bold"), (about, "dim"))
    for text in (view.url, view.content):
        if text:
            say(env.out, text)


@command("documents", json=False)
def delete(env: Environment, source: SourceArgument, document: DocumentArgument, yes: YesOption = False) -> None:
    """Delete a document and its passages."""
    found, _ = env.on(
        lambda service, reference: _find(service, source, reference),
        document,
        lambda found: documents.delete_document(found.source_id, found.id),
        None if yes else lambda found: f"Delete the document {found.external_id} of {source}?",
    )
    env.print_note(f"Deleted {found.external_id}.")


def _find(service: Service, source: str, reference: str) -> DocumentSummary:
    """The document of a source with this external id, else with this id."""
    for found in service.send(documents.list_documents(service.source(source), reference=reference)).items:
        return found
    raise NotFound("document", reference)


class IngestOptions(Parameters):
    """The meaning of lines and rows, and what is reported of them."""

    many_sources: bool = False
    """Each line or row names its source in the field `source`; give no SOURCE. New names create sources."""
    stated_values: str | None = None
    """Rows state values, which are votes without a reader: 'subject=country, capital, area=area_km2' names the column
    of the subject and of each relation, 'subject=item, relation=property, value=answer' those of a table in long form.
    source=site names the column of the source."""
    contradictions: Annotated[int, Field(ge=0)] | None = None
    """Report contradictions between new documents and other sources, with at most so many readings."""


@command("ingest")
@parameter_options(IngestOptions, many_sources="--many-sources -m")
def ingest(
    env: Environment,
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE FILES...",
            help="The source's external id, id or name; then NDJSON or CSV, also gzipped, Parquet, or text, Markdown, "
            "HTML, PDF, Office; - is NDJSON on standard input.",
        ),
    ],
    options: IngestOptions,
    file_format: FormatOption = None,
) -> None:
    columns = _columns(options.stated_values or "")
    query = options.model_dump(include={"stated_values", "contradictions"})
    if options.many_sources:
        call = documents.send_documents(**query)
        import_files(env, arguments, file_format, lambda _service: call, Columns(needed=columns))
        return
    if SOURCE in columns:
        raise InvalidInput("If a column holds the source, leave SOURCE out and give --many-sources.")
    source, *files = arguments
    if not files:
        raise InvalidInput(f"Which files go into {source!r}? Without a source, lines name theirs: --many-sources.")

    def call_of(service: Service) -> Call[LineResult]:
        return documents.send_documents_of(service.source(source), **query)

    import_files(env, files, file_format, call_of, Columns(needed=columns))


def _columns(text: str) -> dict[str, str]:
    try:
        return parse_columns(text) if text else {}
    except ValueError as error:
        raise InvalidInput(f"--stated-values {text!r} {error}.") from error


@command("search")
@parameter_options(
    SearchInput, query="QUERY", limit="--limit -n", sources="--source", fold_copies="--fold-copies/--copies"
)
def search(env: Environment, values: SearchInput) -> None:
    views = env.send(documents.search(values)).items
    if env.as_json:
        print_lines(views)
        return
    for hit in views:
        date = f", {hit.published_at:%Y-%m-%d}" if hit.published_at else ""
        copies = f"; also in {', '.join(copy.source_name for copy in hit.copies)}" if hit.copies else ""
        place = (
            f"  {hit.document_external_id} {hit.start}-{hit.end}{date}, reliability {number(hit.reliability)}{copies}"
        )
        title = cell(hit.title or hit.document_external_id)
        say(env.out, f"{number(hit.score)}  ", (hit.source_name, "bold"), ": ", title, (place, "dim"))
        env.out.print(Padding(Text(clean(hit.content)), (0, 0, 1, 4)))
    if not views:
        say(env.out, "Nothing was found.", style="dim")


class ExportFormat(StrEnum):
    """The formats of a file."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


TABLES = " ".join(f"{name}: {name.summary}" for name in ExportName)


class ExportOptions(Parameters):
    """What is written, and where."""

    format: ExportFormat = ExportFormat.JSONL
    """JSON Lines or CSV; or Parquet, with --output."""
    output: Path | None = None
    """Write into this file instead of standard output."""
    estimation_id: UUID | None = None
    """The run whose votes are exported; left out, the current one."""


@command("export", json=False)
@parameter_options(ExportOptions, output="--output -o", estimation_id="--estimation")
def export(env: Environment, table: Annotated[ExportName, typer.Argument(help=TABLES)], options: ExportOptions) -> None:
    output = options.output
    if options.format is ExportFormat.PARQUET and output is None:
        raise InvalidInput("A Parquet file cannot be written to standard output: name it with --output.")
    call = export_table(table, format=options.format, estimation_id=options.estimation_id)
    with env.service() as service, ExitStack() as files:
        parts = files.enter_context(closing(service.download(call)))
        # What is refused leaves a file as it is.
        first = next(parts, b"")
        try:
            target = sys.stdout.buffer if output is None else files.enter_context(output.open("wb"))
            target.writelines(chain([first], parts))
            target.flush()
        except OSError as error:
            raise InvalidInput(f"{output or 'Standard output'} cannot be written: {error.strerror}.") from error
