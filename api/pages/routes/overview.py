"""The state of a corpus on one page: what is wrong, the last run, what fell or turned, and what waits for somebody."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from api.http.dependencies import ReadAccess
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.connectors import store as connectors
from registry.disputes import store as disputes
from registry.estimations import store as estimations
from registry.estimations.model import ACTIVE_STATUSES
from registry.estimations.store.estimates import recent_alerts
from registry.keys.schemas import Scope
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.enums import RunStatus
from registry.readings.store import misreadings
from registry.sources.store import estimates
from registry.webhooks import store as webhooks

router = page_router("/corpora/{corpus}")

RUNS_SHOWN = 12
"""In the chart of alerts, which has to be read on a phone."""
DISPUTES_SHOWN = 5


@router.get("")
async def show_overview(request: Request, access: ReadAccess) -> Response:
    """The state of a corpus, as far as the visitor may see it."""
    viewer = access.viewer
    async with access.begin() as (session, corpus):
        run = await estimates.current_run(session, corpus)
        feeds = (await connectors.page(session, corpus, cursor=None, limit=MAX_LIMIT)).items if viewer.sees_all else ()
        may_change = access.principal.may(Scope.ADMIN)
        told = (await webhooks.page(session, corpus, cursor=None, limit=MAX_LIMIT)).items if may_change else ()
        alerts = await recent_alerts(session, corpus.id, RUNS_SHOWN)
        shown: dict[str, Any] = {
            "sources": await estimates.count_active(session, corpus),
            "newest": await estimations.newest(session, corpus),
            "disputed": await disputes.count(session, run, viewer=viewer) if run else 0,
            "unlabelled": await disputes.count(session, run, without_gold=True, viewer=viewer) if run else 0,
            "misread": await misreadings.suspected_count(session, run, viewer) if run else 0,
        }
        listed = await disputes.page(session, run, cursor=None, limit=DISPUTES_SHOWN, viewer=viewer) if run else None
    return page(
        request,
        "corpora/overview.html",
        corpus=corpus.name,
        run=run,
        alerts=alerts[::-1],
        disputes=listed.items if listed else (),
        failing=[each for each in feeds if each.status == RunStatus.FAILED],
        reading=sum(each.status in ACTIVE_STATUSES for each in feeds),
        silent=[each for each in told if each.failing_since or each.disabled_because],
        reader_note=access.runtime.reader_change(run.reader if run else None),
        **shown,
    )
