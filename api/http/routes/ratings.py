"""Ratings of sources by outside lists."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Request

from api.http.dependencies import PROTECTED, AdminAccess
from api.http.openapi import examples
from api.http.openapi.responses import importing
from api.http.routes.sources import SourceReference
from api.http.schemas.sources import RatingView
from api.http.streaming.request_lines import import_lines
from api.http.streaming.result_lines import ResultLines
from registry.documents import imports
from registry.sources import store as sources
from registry.sources.schemas import RatingInput
from registry.sources.store import estimates

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["sources"], dependencies=PROTECTED)

_LINES = (
    '{"external_id":"acme-blog","rating":0.4,"origin":"Media list, May 2026"}\n'
    '{"external_id":"herald","rating":0.9,"strength":20,"origin":"Media list, May 2026"}\n'
)


@router.put("/sources/{source_id}/rating", summary="Set the rating of an outside list")
async def set_rating(
    body: Annotated[RatingInput, examples.RATING], access: AdminAccess, source_id: SourceReference
) -> RatingView:
    """Counts as `strength` votes in later estimations by `auto`, `one_coin` or `dawid_skene`."""
    async with access.at_source(source_id) as (session, corpus, source):
        await sources.lock(session, corpus, {source.id})
        rating, _ = await estimates.put_rating(session, source, body, access.principal.name)
        return RatingView.model_validate(rating)


@router.delete("/sources/{source_id}/rating", status_code=204, summary="Delete the rating of a source")
async def delete_rating(access: AdminAccess, source_id: SourceReference) -> None:
    """Later estimations do without it."""
    async with access.at_source(source_id) as (session, corpus, source):
        await estimates.delete_rating(session, corpus, source.id)


@router.post(
    "/ratings:import",
    summary="Set the ratings of many sources",
    **importing("RatingLine", _LINES),
)
async def import_ratings(request: Request, access: AdminAccess) -> ResultLines:
    """NDJSON, the rating of a source a line, also gzipped; answered with a result a line.

    A bad line does not touch the others; of two ratings of one source the later counts.
    """
    lines = import_lines(request, access.runtime.settings)
    rate = partial(imports.import_ratings, created_by=access.principal.name)
    return ResultLines(lines, partial(rate, access.runtime, await access.corpus()))
