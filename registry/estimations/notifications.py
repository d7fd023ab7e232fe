"""The findings of a run that are told: sources that turned, groups that dissent together, and by webhooks its end and
what is new in it.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import structlog
from procrastinate import App

from estimator import Estimate
from estimator.result import JointDissent as EstimatedDissent
from registry.estimations.estimator_inputs import EstimatorInputs
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.store.votes import PreviousRun, RunVotes, class_wordings, query_texts, subscribed_events
from registry.events import store as events
from registry.platform.database.base import AsyncSession, Json
from registry.sources.model import Source
from registry.sources.schemas import CopyGroup, DissentedQuery, JointDissent
from registry.webhooks.schemas import WebhookEvent
from registry.webhooks.service import notify

log = structlog.get_logger(__name__)

MOST_NAMED: Final = 100
"""Sources or groups that one event names; it says how many there are, and the run has them all."""
SOURCE_TURNED: Final = "source_turned"
"""Kind of the event of a source that turned."""
DISSENT_TOGETHER: Final = "sources_dissent_together"
"""Kind of the event of a group of sources that do."""


async def notify_of_failure(session: AsyncSession, jobs: App, run: EstimationRun) -> None:
    """Tell that a run failed, and why."""
    data = {"estimation_id": str(run.id), "trigger": run.trigger, **(run.problem or {})}
    await notify(session, jobs, run.corpus_id, WebhookEvent.ESTIMATION_FAILED, data)


async def notify_of_success(
    session: AsyncSession, jobs: App, run: EstimationRun, rows: Sequence[RunSource], previous: PreviousRun | None
) -> None:
    """Keep which sources turned or fell; tell that a run succeeded, and of these and copy groups that are new.

    `rows` are the estimates of the run.
    """
    turned = _turned(run, rows, previous)
    run.alerts = {"count": len(turned), "sources": turned}
    wanted = await subscribed_events(session, run.corpus_id)
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
    found: dict[WebhookEvent, tuple[str, Sequence[Json]]] = {}
    if WebhookEvent.SOURCE_TURNED in wanted:
        found[WebhookEvent.SOURCE_TURNED] = "sources", turned
    if WebhookEvent.COPY_GROUP_FOUND in wanted:
        found[WebhookEvent.COPY_GROUP_FOUND] = "copy_groups", _new_groups(run, previous)
    for event, (name, items) in found.items():
        if items:
            data = {"estimation_id": str(run.id), "count": len(items), name: items[:MOST_NAMED]}
            await notify(session, jobs, run.corpus_id, event, data)


def _turned(run: EstimationRun, rows: Sequence[RunSource], previous: PreviousRun | None) -> list[Json]:
    """The sources with more periods than before, and those whose whole interval lies below that of before, the most
    reliable first.

    Intervals of different methods are not compared.
    """
    same_method = previous is not None and previous.run.method == run.method
    told = []
    for row in sorted(rows, key=lambda row: (-row.reliability, row.source_name)):
        former = previous.sources.get(row.source_id) if previous else None
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


def _new_groups(run: EstimationRun, previous: PreviousRun | None) -> list[Json]:
    """The copy groups that are no group of the run before, nor a part of one."""
    former = [set(CopyGroup.model_validate(group).source_ids) for group in previous.run.copy_groups] if previous else []
    groups = map(CopyGroup.model_validate, run.copy_groups)
    return [
        group.model_dump(mode="json", include={"source_ids", "source_names", "original_id", "log_odds"})
        for group in groups
        if not any(members.issuperset(group.source_ids) for members in former)
    ]


def publish_turns(session: AsyncSession, run: EstimationRun, rows: Sequence[RunSource]) -> None:
    """An event and a warning in the log for each source that turned."""
    for row in rows:
        if row.turned_at is None:
            continue
        previous, present = row.periods[-2:]
        alarm = {
            "source_id": str(row.source_id),
            "source_name": row.source_name,
            "turned_at": present["since"],
            "reliability_before": previous["reliability"],
            "reliability": present["reliability"],
            "log_odds": present["log_odds"],
        }
        events.publish(session, run.id, SOURCE_TURNED, alarm)
        log.warning(SOURCE_TURNED, estimation_id=str(run.id), **alarm)


async def write_dissents(
    session: AsyncSession, run: EstimationRun, inputs: EstimatorInputs, estimate: Estimate
) -> None:
    """The groups of the run, and an event and a warning in the log for each; the caller commits."""
    groups = [await _group(session, run, inputs.sources, inputs.run_votes, found) for found in estimate.dissents]
    run.joint_dissents = [group.model_dump(mode="json") for group in groups]
    for group in run.joint_dissents:
        events.publish(session, run.id, DISSENT_TOGETHER, group)
        log.warning(DISSENT_TOGETHER, estimation_id=str(run.id), **group)


async def _group(
    session: AsyncSession,
    run: EstimationRun,
    sources: Sequence[Source],
    run_votes: RunVotes,
    found: EstimatedDissent,
) -> JointDissent:
    texts = await query_texts(session, run, [run_votes.query_ids[query] for query in found.queries])
    wordings = await class_wordings(session, run_votes, np.array(found.queries), np.array(found.answers))
    return JointDissent(
        source_ids=tuple(sources[member].id for member in found.members),
        source_names=tuple(sources[member].name for member in found.members),
        log_odds=found.log_odds,
        queries=tuple(
            DissentedQuery(
                query_id=run_votes.query_ids[query],
                query_text=texts[run_votes.query_ids[query]],
                answer=wordings.get((query, answer)),
            )
            for query, answer in zip(found.queries, found.answers, strict=True)
        ),
    )
