"""`credence ingest`: documents into a source."""

from collections.abc import AsyncIterator
from typing import Annotated

import typer

from api.cli.environment import Environment
from api.cli.import_progress import import_files
from api.cli.input_files import FileFormat
from api.cli.options import SourceArgument, command
from registry.ingest import import_documents
from registry.models import Corpus
from registry.results.ingest import LineResult
from registry.runtime import Runtime
from registry.store import sources

app = typer.Typer(add_completion=False)


@command(app)
def ingest(
    env: Environment,
    source: SourceArgument,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES...", help="NDJSON or CSV, also gzipped; or text, Markdown, HTML; - is standard input."
        ),
    ],
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="What the files hold, where their names do not tell.")
    ] = None,
) -> None:
    async def import_lines(runtime: Runtime, owner: Corpus, lines: AsyncIterator[bytes]) -> AsyncIterator[LineResult]:
        async with runtime.database.begin() as session:
            publisher = await sources.find(session, owner, source)
        async for result in import_documents(runtime, owner, publisher.id, lines):
            yield result

    import_files(env, files, file_format, import_lines)
