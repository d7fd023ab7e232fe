"""Readings that look misread, to confirm or reject."""

from typing import Annotated

from fastapi import Form, Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.dependencies import AdminAccess, PageParameters, ReadAccess
from api.http.routes.misreadings import MisreadingId, judge_misreading, list_misreadings, withdraw_verdict
from api.http.schemas.misreadings import VerdictInput
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry.platform.enums import Verdict
from registry.readings.store import misreadings
from registry.sources.store import estimates

router = page_router("/corpora/{corpus}/misreadings")


@router.get("")
async def show_misreadings(
    request: Request,
    access: ReadAccess,
    paging: PageParameters,
    everything: Annotated[bool, Query(alias="all")] = False,
) -> Response:
    """The readings of the current run that look misread, the most suspect first; with `all` those judged too."""
    async with access.begin() as (session, corpus):
        run = await estimates.current_run(session, corpus)
        total = await misreadings.suspected_count(session, run, access.viewer) if run else 0
    listed = await list_misreadings(access, paging, open_only=not everything)
    return page(
        request,
        "misreadings/misreadings.html",
        corpus=corpus.name,
        run=run,
        misreadings=listed,
        total=total,
        everything=everything,
        script="judge.js",
    )


@router.post("/{misreading_id}")
async def judge(
    access: AdminAccess,
    misreading_id: MisreadingId,
    verdict: Annotated[Verdict | None, Form()] = None,
    everything: Annotated[bool, Form(alias="all")] = False,
) -> Response:
    """Set the verdict on a reading, or withdraw it where none is given."""
    if verdict is None:
        await withdraw_verdict(access, misreading_id)
    else:
        await judge_misreading(VerdictInput(verdict=verdict), access, misreading_id)
    goal = address("corpora", access.corpus_name, "misreadings")
    return RedirectResponse(f"{goal}?all=true" if everything else goal, 303)
