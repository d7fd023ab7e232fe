"""Exports: what a corpus holds, as a file."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query
from starlette.responses import StreamingResponse

from api.export_formats import ExportFormat, encoded
from api.http.dependencies import PROTECTED, ReadAccess
from api.http.openapi.responses import read_responses
from registry.store.exports import EXPORTS, ExportName, export_named, run_to_export

router = APIRouter(prefix="/v1/corpora/{corpus}/exports", tags=["corpora"], dependencies=PROTECTED)

_TABLES = " ".join(f"`{export.name}`: {export.summary}" for export in EXPORTS)
_FILE = {"description": "The file.", "content": {"application/x-ndjson": {}, "text/csv": {}}}


@router.get(
    "/{table}",
    summary="Export a table",
    responses={200: _FILE, **read_responses()},
    response_class=StreamingResponse,
    response_model=None,
)
async def export_table(
    access: ReadAccess,
    table: Annotated[ExportName, Path(description=_TABLES)],
    file_format: Annotated[
        ExportFormat, Query(alias="format", description="JSON Lines, or CSV with a header.")
    ] = ExportFormat.JSONL,
    estimation_id: Annotated[
        UUID | None, Query(description="The run whose votes are exported, instead of the current one.")
    ] = None,
) -> StreamingResponse:
    """All rows, read while they are sent. Lists and objects are JSON in a cell of CSV. Needs the scope `read`."""
    async with access.begin() as (session, corpus):
        run_id = await run_to_export(session, corpus, estimation_id)
    batches = export_named(table).batches(access.runtime.database, corpus.id, run_id)
    name = f"{corpus.name}-{table}.{file_format}"
    return StreamingResponse(
        encoded(batches, file_format),
        media_type=file_format.media_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
