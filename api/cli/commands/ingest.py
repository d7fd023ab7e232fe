"""`credence ingest`: documents into one source, or into many."""

from collections.abc import AsyncIterator
from typing import Annotated

import typer

from api.cli.environment import Environment
from api.cli.import_progress import import_files
from api.cli.input_files import FileFormat
from api.cli.options import command
from registry.errors import InvalidInput
from registry.ingest import import_documents, import_documents_of_sources
from registry.models import Corpus
from registry.results.ingest import LineResult
from registry.runtime import Runtime
from registry.store import sources

app = typer.Typer(add_completion=False)


@command(app)
def ingest(
    env: Environment,
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE FILES...",
            help="The source's external id, id or name; then NDJSON or CSV, also gzipped, or text, Markdown, HTML, "
            "PDF, Office; - is NDJSON on standard input.",
        ),
    ],
    many_sources: Annotated[
        bool,
        typer.Option(
            "--many-sources",
            "-m",
            help="Give no SOURCE: every line or row has its own in the field `source`, and unknown ones are made.",
        ),
    ] = False,
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="What the files hold, where their names do not tell.")
    ] = None,
) -> None:
    if many_sources:
        import_files(env, arguments, file_format, import_documents_of_sources)
        return
    source, *files = arguments
    if not files:
        raise InvalidInput(f"Which files go into {source!r}? Without a source, lines name theirs: --many-sources.")

    async def import_lines(runtime: Runtime, owner: Corpus, lines: AsyncIterator[bytes]) -> AsyncIterator[LineResult]:
        async with runtime.database.begin() as session:
            publisher = await sources.find(session, owner, source)
        async for result in import_documents(runtime, owner, publisher.id, lines):
            yield result

    import_files(env, files, file_format, import_lines)
