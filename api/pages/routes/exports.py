"""The tables of a corpus as files."""

from importlib.util import find_spec

from fastapi import Request
from starlette.responses import Response

from api.export_formats import ExportFormat
from api.http.dependencies import ReadAccess
from api.http.routes.exports import export_table
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.platform.enums import ExportName

router = page_router("/corpora/{corpus}/exports")


@router.get("")
async def show_exports(request: Request, access: ReadAccess) -> Response:
    """What can be downloaded."""
    corpus = await access.corpus()
    return page(
        request,
        "corpora/exports.html",
        corpus=corpus.name,
        tables=list(ExportName),
        formats=list(ExportFormat),
        has_parquet=find_spec("pyarrow") is not None,
    )


router.add_api_route("/{table}", export_table, methods=["GET"], response_model=None)
