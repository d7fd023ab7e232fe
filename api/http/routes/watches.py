"""Feeds of sources that turn or fall: made, listed and ended."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Response

from api.http.authorization import FEEDS
from api.http.dependencies import PROTECTED, PageParameters, ReadAccess
from api.http.openapi.responses import created
from api.http.routes.keys import UNKEPT
from api.http.schemas.watches import NewWatchView, WatchList, WatchView
from registry.keys.service import digest
from registry.keys.sessions import new_token
from registry.sources import store as sources
from registry.watches import store
from registry.watches.schemas import WatchInput

router = APIRouter(prefix="/v1/corpora/{corpus}/watches", tags=["watches"], dependencies=PROTECTED)

WatchId = Annotated[UUID, Path(description="Identifier of the feed.")]
ALL = WatchInput()


@router.post("", status_code=201, summary="Make a feed of alerts", responses={201: created("The feed.")})
async def create_watch(access: ReadAccess, response: Response, body: WatchInput = ALL) -> NewWatchView:
    """An Atom feed of the sources that turn or fall, at an address that needs no key and is shown this once. It ends
    when it is removed, and with the key that made it or the source. A corpus has at most 200.
    """
    token = new_token()
    async with access.begin() as (session, corpus):
        source = await sources.find(session, corpus, body.source) if body.source else None
        watch = await store.create(session, corpus, source, digest(token))
        view = NewWatchView(**WatchView.model_validate(watch).model_dump(), path=f"{FEEDS}{token}")
    response.headers.update({"Location": access.path("watches", view.id), **UNKEPT})
    return view


@router.get("", summary="List feeds of alerts")
async def list_watches(access: ReadAccess, paging: PageParameters) -> WatchList:
    async with access.begin() as (session, corpus):
        page = await store.page(session, corpus, cursor=paging.cursor, limit=paging.limit)
    return WatchList.of(page, WatchView.model_validate)


@router.delete("/{watch_id}", status_code=204, summary="Remove a feed of alerts")
async def remove_watch(access: ReadAccess, watch_id: WatchId) -> None:
    """With the scope `admin` any of them, otherwise those that the key made."""
    async with access.begin() as (session, corpus):
        await store.remove(session, corpus, watch_id, only_own=access.only_own)
