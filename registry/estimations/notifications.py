"""The webhook events of a run: its end, and findings that the run before did not have."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from procrastinate import App

from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun, RunSource
from registry.platform.database.base import AsyncSession, Json
from registry.sources.schemas import CopyGroup
from registry.sources.store import estimates
from registry.webhooks import store as webhooks
from registry.webhooks.schemas import WebhookEvent
from registry.webhooks.service import notify

MOST_NAMED: Final = 100
"""Sources or groups that one event names; it says how many there are, and the run has them all."""


async def notify_of_failure(session: AsyncSession, jobs: App, run: EstimationRun) -> None:
    """Tell that a run failed, and why."""
    data = {"estimation_id": str(run.id), "trigger": run.trigger, **(run.problem or {})}
    await notify(session, jobs, run.corpus_id, WebhookEvent.ESTIMATION_FAILED, data)


async def notify_of_success(session: AsyncSession, jobs: App, run: EstimationRun) -> None:
    """Tell that a run succeeded, and of sources that turned or fell and copy groups that are new."""
    wanted = await webhooks.subscribed(session, run.corpus_id)
    if not wanted:
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
    await notify(session, jobs, run.corpus_id, WebhookEvent.ESTIMATION_SUCCEEDED, data)
    previous = await estimates.previous_run(session, run)
    found: dict[WebhookEvent, tuple[str, Sequence[Json]]] = {}
    if WebhookEvent.SOURCE_TURNED in wanted:
        before = await estimations.sources_of(session, previous) if previous else ()
        former = {row.source_id: row for row in before}
        same_method = previous is not None and previous.method == run.method
        turned = _turned(await estimations.sources_of(session, run), former, same_method=same_method)
        found[WebhookEvent.SOURCE_TURNED] = "sources", turned
    if WebhookEvent.COPY_GROUP_FOUND in wanted:
        found[WebhookEvent.COPY_GROUP_FOUND] = "copy_groups", _new_groups(run, previous)
    for event, (name, items) in found.items():
        if items:
            data = {"estimation_id": str(run.id), "count": len(items), name: items[:MOST_NAMED]}
            await notify(session, jobs, run.corpus_id, event, data)


def _turned(rows: Sequence[RunSource], before: Mapping[UUID, RunSource], *, same_method: bool) -> list[Json]:
    """The sources with more periods than before, and those whose whole interval lies below that of before.

    Intervals of different methods are not compared.
    """
    told = []
    for row in rows:
        former = before.get(row.source_id)
        has_turned = len(row.periods) > max(1, len(former.periods) if former else 0)
        has_fallen = former is not None and same_method and _is_below(row, former)
        if has_turned or has_fallen:
            earlier = row.periods[-2]["reliability"] if has_turned or former is None else former.reliability
            told.append(
                {
                    "source_id": str(row.source_id),
                    "source_name": row.source_name,
                    "change": "turned" if has_turned else "fell",
                    "turned_at": row.periods[-1]["since"] if has_turned else None,
                    "reliability_before": earlier,
                    "reliability": row.reliability,
                }
            )
    return told


def _is_below(row: RunSource, former: RunSource) -> bool:
    return row.upper is not None and former.lower is not None and row.upper < former.lower


def _new_groups(run: EstimationRun, previous: EstimationRun | None) -> list[Json]:
    """The copy groups that are no group of the run before, nor a part of one."""
    former = [set(CopyGroup.model_validate(group).source_ids) for group in previous.copy_groups] if previous else []
    groups = map(CopyGroup.model_validate, run.copy_groups)
    return [
        group.model_dump(mode="json", include={"source_ids", "source_names", "original_id", "log_odds"})
        for group in groups
        if not any(members.issuperset(group.source_ids) for members in former)
    ]
