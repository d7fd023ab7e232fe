"""Links that show an answer to whoever has them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from api.http.authorization import SHARED
from api.http.dependencies import PROTECTED, AskAccess, PageParameters, ReadOrAskAccess
from api.http.openapi.responses import created
from api.http.routes.answers import AnswerId
from api.http.routes.keys import UNKEPT
from api.http.schemas.answers import NewShareView, ShareList, ShareView
from registry.answers import shares
from registry.answers.schemas import ShareInput
from registry.answers.store import shares as stored_shares

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["answers"], dependencies=PROTECTED)

ShareId = Annotated[UUID, Path(description="Identifier of the link.")]
DEFAULTS = ShareInput()


@router.post(
    "/answers/{answer_id}/shares",
    status_code=201,
    summary="Make a link to an answer",
    responses={201: created("The link.")},
)
async def share_answer(
    access: AskAccess, answer_id: AnswerId, response: Response, body: ShareInput = DEFAULTS
) -> NewShareView:
    """Whoever has the link reads the answer without a key, until it expires or is revoked, or the key that made it
    ends. They see its page, and nothing else of the corpus. Needs the scope `ask`, of a key that sees
    everything, as a link has no groups.
    """
    async with access.begin() as (session, corpus):
        key_id, viewer = access.principal.key_id, access.viewer
        share, token = await shares.make(session, corpus, answer_id, body, key_id=key_id, viewer=viewer)
        view = NewShareView(**ShareView.model_validate(share).model_dump(), path=f"{SHARED}{token}")
    response.headers.update({"Location": access.path("shares", view.id), **UNKEPT})
    return view


@router.get("/shares", summary="List links to answers")
async def list_shares(
    access: ReadOrAskAccess,
    paging: PageParameters,
    answer_id: Annotated[UUID | None, Query(description="Only those to this answer.")] = None,
) -> ShareList:
    """Returns the links that still open an answer."""
    async with access.begin() as (session, corpus):
        page = await stored_shares.page(
            session, corpus, answer_id=answer_id, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
        )
    return ShareList.of(page, ShareView.model_validate)


@router.delete("/shares/{share_id}", status_code=204, summary="Revoke a link to an answer")
async def revoke_share(access: AskAccess, share_id: ShareId) -> None:
    """It opens nothing any more. Needs the scope `ask`, of a key that sees everything."""
    async with access.begin() as (session, corpus):
        await shares.revoke(session, corpus, share_id, access.viewer)
