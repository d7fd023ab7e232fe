"""`credence ingest`: documents into a source."""

from collections.abc import AsyncIterator
from typing import Annotated

import typer

from api.cli.feed import FileFormat
from api.cli.importing import import_files
from api.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from api.cli.source_changes import SourceArgument
from api.cli.terminal import terminal_of
from registry.ingest import import_documents
from registry.models import Corpus
from registry.results.ingest import LineResult
from registry.runtime import Runtime
from registry.store import sources

FilesArgument = Annotated[
    list[str],
    typer.Argument(metavar="FILES...", help="NDJSON, also gzipped; or text, Markdown, HTML; - is standard input."),
]
FormatOption = Annotated[
    FileFormat | None, typer.Option("--format", help="What the files hold, where their names do not tell.")
]


def ingest(
    ctx: typer.Context,
    source: SourceArgument,
    files: FilesArgument,
    file_format: FormatOption = None,
    corpus: CorpusOption = DEFAULT_CORPUS,
    as_json: JsonOption = False,
) -> None:
    """Add documents to a source: new ones, changed ones; what is there already stays as it is."""

    async def importer(runtime: Runtime, owner: Corpus, lines: AsyncIterator[bytes]) -> AsyncIterator[LineResult]:
        async with runtime.database.begin() as session:
            found = await sources.find(session, owner, source)
        async for result in import_documents(runtime, owner, found.id, lines):
            yield result

    import_files(terminal_of(ctx), corpus, files, file_format, importer, as_json=as_json)
