"""Links to answers: made and revoked on the page of the answer, and followed by people without a key."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.authorization import SHARED, require_local_name
from api.http.dependencies import AskAccess, runtime_of
from api.http.middleware.admission import subject_of
from api.http.routes.answers import AnswerId, ShareId
from api.http.schemas.answers import AnswerView
from api.pages.answer_parts import COLUMNS, AnswerParts
from api.pages.rendering import address, page_for_nobody
from api.pages.visitors import limits_of, page_router, tell_once
from registry.answers import shares
from registry.answers.calibration import stored_answer
from registry.answers.schemas import MAX_DAYS, ShareInput
from registry.keys.rates import RateKind
from registry.platform.enums import ActorKind
from registry.viewers.model import ALL_SEEING

router = page_router("/corpora/{corpus}/answers/{answer_id}/shares")


@router.post("")
async def share(
    request: Request, access: AskAccess, answer_id: AnswerId, days: Annotated[int, Form(ge=1, le=MAX_DAYS)]
) -> Response:
    """Make a link, and show it this once."""
    async with access.begin() as (session, corpus):
        key_id, values = access.principal.key_id, ShareInput(days=days)
        _, token = await shares.make(
            session, corpus, answer_id, values, key_id=key_id, actor=ActorKind.BROWSER, viewer=access.viewer
        )
    link = f"{str(request.base_url).rstrip('/')}{SHARED}{token}"
    return tell_once(request, address("corpora", access.corpus_name, "answers", answer_id), link, "#share")


@router.post("/{share_id}/revoke")
async def revoke(access: AskAccess, answer_id: AnswerId, share_id: ShareId) -> Response:
    """End a link."""
    async with access.begin() as (session, corpus):
        await shares.revoke(session, corpus, share_id, access.viewer)
    return RedirectResponse(address("corpora", access.corpus_name, "answers", answer_id) + "#share", 303)


async def require_admission(request: Request) -> None:
    """Raises `TooManyRequests` if the address reached its limit, and `Forbidden` on loopback by another name."""
    runtime = runtime_of(request)
    if not runtime.settings.keys_required:
        require_local_name(request.scope, runtime.settings)
    subject = subject_of(request.scope)
    if subject is not None:
        limits_of(request).take(RateKind.REQUEST, subject)


links = APIRouter(dependencies=[Depends(require_admission)])


@links.get(f"{SHARED}{{token}}")
async def show_shared(request: Request, token: str) -> Response:
    """The answer of a link."""
    async with runtime_of(request).database.begin() as session:
        row, corpus = await shares.opened(session, token)
        answer = AnswerView.of(*await stored_answer(session, corpus, row.answer_id, ALL_SEEING))
    parts = AnswerParts.of(answer.result) if answer.result is not None else None
    return page_for_nobody("answers/shared.html", answer=answer, parts=parts, share=row, columns=COLUMNS)
