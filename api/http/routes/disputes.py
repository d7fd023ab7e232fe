"""Disputes: the queries of the current estimation on which sources disagree, and what new documents contradict."""

from typing import Annotated

from fastapi import APIRouter, Query

from api.http.dependencies import PROTECTED, PageParameters, ReadAccess
from api.http.schemas.documents import DocumentContradictionList, DocumentContradictionView
from api.http.schemas.estimations import DisputeList, DisputeView
from registry.disputes import store as disputes
from registry.disputes.store import Dispute
from registry.platform.database.paging import Page
from registry.sources.store import estimates

router = APIRouter(prefix="/v1/corpora/{corpus}/disputes", tags=["estimations"], dependencies=PROTECTED)


@router.get("", summary="List disputes")
async def list_disputes(
    access: ReadAccess,
    paging: PageParameters,
    without_gold: Annotated[bool, Query(description="Only active queries without a right answer.")] = False,
) -> DisputeList:
    """The queries of the current estimation with votes for several answer classes, the least certain first; empty
    before any estimation.
    """
    page: Page[Dispute] = Page([], None)
    async with access.begin() as (session, corpus):
        if run := await estimates.current_run(session, corpus):
            page = await disputes.page(
                session, run, without_gold=without_gold, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
            )
        return DisputeList.of(page, DisputeView.of)


@router.get("/documents", summary="List contradictions of new documents")
async def list_contradictions(access: ReadAccess, paging: PageParameters) -> DocumentContradictionList:
    """Returns the statements of documents against other sources when they came in, the newest first, from imports that
    asked for them (`contradictions`).
    """
    async with access.begin() as (session, corpus):
        page = await disputes.contradictions(
            session, corpus, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
        )
        return DocumentContradictionList.of(page, DocumentContradictionView.model_validate)
