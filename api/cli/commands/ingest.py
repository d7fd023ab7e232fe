"""`credence ingest`: documents into one source, or into many."""

from typing import Annotated, Any

import typer

from api.cli.connection import Service
from api.cli.environment import Environment
from api.cli.import_progress import import_files
from api.cli.input_files import Columns, FileFormat
from api.cli.options import command
from api.client.call import Call
from api.client.nouns import documents
from api.http.schemas.streams import LineView
from registry.documents.value_schemas import SOURCE, parse_columns
from registry.platform.errors import InvalidInput

app = typer.Typer(add_completion=False)


@command(app)
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
    many_sources: Annotated[
        bool,
        typer.Option(
            "--many-sources",
            "-m",
            help="Each line or row names its source in the field `source`; give no SOURCE. New names create sources.",
        ),
    ] = False,
    stated_values: Annotated[
        str,
        typer.Option(
            metavar="COLUMNS",
            help="Rows state values, which are votes without a reader: 'subject=country, capital, area=area_km2' names "
            "the column of the subject and of each relation, 'subject=item, relation=property, value=answer' those of "
            "a table in long form. source=site names the column of the source.",
            show_default=False,
        ),
    ] = "",
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="Format of the files, if their names do not show it.")
    ] = None,
    contradictions: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Report contradictions between new documents and other sources, with at most N readings.",
            show_default=False,
        ),
    ] = 0,
) -> None:
    columns = _columns(stated_values)
    query: dict[str, Any] = {"stated_values": stated_values or None, "contradictions": contradictions or None}
    if many_sources:
        call = documents.send_documents(**query)
        import_files(env, arguments, file_format, lambda _service: call, Columns(needed=columns))
        return
    if SOURCE in columns:
        raise InvalidInput("If a column holds the source, leave SOURCE out and give --many-sources.")
    source, *files = arguments
    if not files:
        raise InvalidInput(f"Which files go into {source!r}? Without a source, lines name theirs: --many-sources.")

    def call_of(service: Service) -> Call[LineView]:
        return documents.send_documents_of(service.source(source), **query)

    import_files(env, files, file_format, call_of, Columns(needed=columns))


def _columns(text: str) -> dict[str, str]:
    try:
        return parse_columns(text) if text else {}
    except ValueError as error:
        raise InvalidInput(f"--stated-values {text!r} {error}.") from error
