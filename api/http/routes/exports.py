"""Exports: what a corpus holds, as a file."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query
from starlette.responses import StreamingResponse

from api.export_formats import ExportFormat, encoded, require_parquet
from api.http.dependencies import PROTECTED, ReadAccess
from registry.corpora.store.exports import export_named, run_to_export
from registry.platform.enums import ExportName

router = APIRouter(prefix="/v1/corpora/{corpus}/exports", tags=["corpora"], dependencies=PROTECTED)

_TABLES = " ".join(f"`{name}`: {name.summary}" for name in ExportName)
_FILE = {"description": "The file.", "content": {each.media_type.partition(";")[0]: {} for each in ExportFormat}}


@router.get(
    "/{table}", summary="Export a table", responses={200: _FILE}, response_class=StreamingResponse, response_model=None
)
async def export_table(
    access: ReadAccess,
    table: Annotated[ExportName, Path(description=_TABLES)],
    file_format: Annotated[
        ExportFormat, Query(alias="format", description="JSON Lines, CSV with a header, or Parquet.")
    ] = ExportFormat.JSONL,
    estimation_id: Annotated[
        UUID | None, Query(description="The run whose votes are exported, instead of the current one.")
    ] = None,
) -> StreamingResponse:
    """All rows, read while they are sent. Lists and objects are JSON in a cell of CSV."""
    async with access.begin() as (session, corpus):
        run_id = await run_to_export(session, corpus, estimation_id)
    if file_format is ExportFormat.PARQUET:
        require_parquet()
    chosen = export_named(table)
    batches = chosen.batches(access.runtime.database, corpus.id, run_id, access.viewer)
    name = f"{corpus.name}-{table}.{file_format}"
    return StreamingResponse(
        encoded(batches, chosen.columns(), file_format),
        media_type=file_format.media_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
