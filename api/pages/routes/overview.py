"""The state of a corpus on one page: what is wrong, the last run, what fell or turned, and what waits for somebody."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from fastapi import Request
from starlette.responses import Response

from api.http.dependencies import CorpusAccess, ReadAccess
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.connectors import store as connectors
from registry.connectors.model import Connector
from registry.corpora.model import Corpus
from registry.disputes import store as disputes
from registry.disputes.store import Dispute
from registry.estimations import store as estimations
from registry.estimations.model import ACTIVE_STATUSES, EstimationRun
from registry.estimations.store.estimates import RunAlerts, recent_alerts
from registry.keys.schemas import Scope
from registry.platform.database.base import AsyncSession
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.enums import RunStatus
from registry.readings import store as readings
from registry.sources import store as sources
from registry.sources.store import estimates
from registry.viewers.model import Viewer
from registry.webhooks import store as webhooks
from registry.webhooks.model import Webhook

router = page_router("/corpora/{corpus}")

RUNS_SHOWN = 12
"""In the chart of alerts, which has to be read on a phone."""
DISPUTES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a person."""

    disputes: int = 0
    unlabelled: int = 0
    """Disputed queries without a right answer."""
    misreadings: int = 0
    least_certain: Sequence[Dispute] = ()

    @classmethod
    async def of(cls, session: AsyncSession, run: EstimationRun, viewer: Viewer) -> Self:
        """What waits after a run."""
        listed = await disputes.page(session, run, cursor=None, limit=DISPUTES_SHOWN, viewer=viewer)
        return cls(
            disputes=await disputes.count(session, run, viewer=viewer),
            unlabelled=await disputes.count(session, run, without_gold=True, viewer=viewer),
            misreadings=await readings.suspected_count(session, run, viewer),
            least_certain=listed.items,
        )


@dataclass(frozen=True, slots=True)
class Overview:
    """The state of a corpus."""

    sources: int
    """Active ones."""
    newest: EstimationRun | None
    """The run that was requested last."""
    current: EstimationRun | None
    alerts: Sequence[RunAlerts]
    """Of the last runs, the oldest first."""
    waiting: Waiting
    failing: Sequence[Connector]
    """The connectors whose last run failed."""
    reading: int
    """Connectors that are reading, or about to."""
    silent: Sequence[Webhook]
    """The webhooks that nothing reaches, or that the service switched off."""

    @classmethod
    async def of(cls, session: AsyncSession, corpus: Corpus, access: CorpusAccess) -> Self:
        """The state as far as the visitor may see it."""
        current, viewer = await estimates.current_run(session, corpus), access.viewer
        listed: list[Connector] = []
        if viewer.sees_all:
            listed += (await connectors.page(session, corpus, cursor=None, limit=MAX_LIMIT)).items
        told: list[Webhook] = []
        if access.principal.may(Scope.ADMIN):
            told += (await webhooks.page(session, corpus, cursor=None, limit=MAX_LIMIT)).items
        return cls(
            sources=await sources.count_active(session, corpus),
            newest=await estimations.newest(session, corpus),
            current=current,
            alerts=(await recent_alerts(session, corpus.id, RUNS_SHOWN))[::-1],
            waiting=await Waiting.of(session, current, viewer) if current else Waiting(),
            failing=[each for each in listed if each.status == RunStatus.FAILED],
            reading=sum(each.status in ACTIVE_STATUSES for each in listed),
            silent=[each for each in told if each.failing_since or each.disabled_because],
        )

    @property
    def has_failed(self) -> bool:
        """Whether the run that was requested last failed."""
        return self.newest is not None and self.newest.status == RunStatus.FAILED

    @property
    def most_alerts(self) -> int:
        """The most alerts of one run, at least 1."""
        return max((run.count for run in self.alerts), default=0) or 1


@router.get("")
async def show_overview(request: Request, access: ReadAccess) -> Response:
    """The state of a corpus."""
    async with access.begin() as (session, corpus):
        overview = await Overview.of(session, corpus, access)
    reader_note = access.runtime.reader_change(overview.current.reader if overview.current else None)
    return page(request, "corpora/overview.html", corpus=corpus.name, overview=overview, reader_note=reader_note)
