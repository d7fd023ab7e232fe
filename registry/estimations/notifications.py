"""What webhooks are told of a run: its end, and what is new in it.

Of a failure in the transaction that ends the run. Of a success in a transaction after it, by the job of the run: if its
process ends between the two, the job runs again, finds that the run has ended, and tells.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import structlog
from procrastinate import App

from registry.estimations.model import EstimationRun
from registry.estimations.store.votes import previous_run
from registry.platform.database.base import AsyncSession, Json
from registry.platform.enums import RunStatus
from registry.runtime import Runtime
from registry.sources.schemas import CopyGroup
from registry.webhooks import store as webhooks
from registry.webhooks.schemas import WebhookEvent
from registry.webhooks.service import notify

log = structlog.get_logger(__name__)

MOST_NAMED: Final = 100
"""Sources or groups that one event names; it says how many there are, and the run has them all."""


async def notify_of_failure(session: AsyncSession, jobs: App, run: EstimationRun) -> None:
    """Tell that a run failed, and why."""
    data = {"estimation_id": str(run.id), "trigger": run.trigger, **(run.problem or {})}
    await notify(session, jobs, run.corpus_id, WebhookEvent.ESTIMATION_FAILED, data)


async def notify_of_success(runtime: Runtime, estimation_id: UUID) -> None:
    """Tell that a run succeeded, of its alerts and of copy groups that are new; nothing where it did not, where nobody
    listens, or where that was told before.
    """
    async with runtime.database.begin() as session:
        # Locked: a process that was taken for dead may still be at it.
        run = await session.get(EstimationRun, estimation_id, with_for_update=True)
        if run is None or run.status != RunStatus.SUCCEEDED:
            return
        wanted = await webhooks.subscribed_events(session, run.corpus_id)
        if not wanted or await webhooks.was_told_of_run(session, run.corpus_id, run.id):
            return
        data = {
            "estimation_id": str(run.id),
            "trigger": run.trigger,
            "sources": run.sources_total,
            "queries": run.queries_total,
            "method": run.method,
            "reason": run.reason,
            "doubt": run.doubt,
        }
        await notify(session, runtime.jobs, run.corpus_id, WebhookEvent.ESTIMATION_SUCCEEDED, data)
        found: dict[WebhookEvent, tuple[str, Sequence[Json]]] = {}
        if WebhookEvent.SOURCE_TURNED in wanted:
            await session.refresh(run, ["alerts"])
            found[WebhookEvent.SOURCE_TURNED] = "sources", (run.alerts or {})["sources"]
        if WebhookEvent.COPY_GROUP_FOUND in wanted:
            found[WebhookEvent.COPY_GROUP_FOUND] = "copy_groups", _new_groups(run, await previous_run(session, run))
        for event, (name, items) in found.items():
            if items:
                data = {"estimation_id": str(run.id), "count": len(items), name: items[:MOST_NAMED]}
                await notify(session, runtime.jobs, run.corpus_id, event, data)


def _new_groups(run: EstimationRun, previous: EstimationRun | None) -> list[Json]:
    """The copy groups that are no group of the run before, nor a part of one."""
    former = [set(CopyGroup.model_validate(group).source_ids) for group in previous.copy_groups] if previous else []
    groups = map(CopyGroup.model_validate, run.copy_groups)
    return [
        group.model_dump(mode="json", include={"source_ids", "source_names", "original_id", "log_odds"})
        for group in groups
        if not any(members.issuperset(group.source_ids) for members in former)
    ]
