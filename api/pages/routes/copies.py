"""Copy groups of the current run: why their members count as one, and how often each two agree."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from api.http.dependencies import ReadAccess
from api.pages.agreement_matrix import MEMBERS_SHOWN, AgreementMatrix
from api.pages.paging import LARGEST, PageNumber, cut, page_count
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.results.copy_groups import Voice
from registry.store import disputes, reliabilities

router = page_router("/corpora/{corpus}/copies")

PAGE_ROWS = 5


@router.get("")
async def show_copies(
    request: Request,
    access: ReadAccess,
    group: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    number: PageNumber = 1,
) -> Response:
    """The copy groups of the current run; `group` chooses the page on which that one stands."""
    async with access.begin() as (session, corpus):
        run = await reliabilities.current_run(session, corpus)
        groups = list(enumerate((Voice.model_validate(voice) for voice in run.voices) if run else (), start=1))
        shown, number = cut(groups, number if group is None else 1 + (group - 1) // PAGE_ROWS, PAGE_ROWS)
        drawn = [source_id for _, voice in shown for source_id in voice.source_ids[:MEMBERS_SHOWN]]
        pairs = await disputes.agreements(session, run, drawn, of_copy_groups=True) if run and drawn else []
    agreements = {frozenset((pair.first_id, pair.second_id)): pair for pair in pairs}
    return page(
        request,
        "copies/copies.html",
        corpus=corpus.name,
        run=run,
        groups=[(place, voice, AgreementMatrix.of(voice.source_ids, agreements)) for place, voice in shown],
        total=len(groups),
        number=number,
        pages=page_count(len(groups), PAGE_ROWS),
    )
