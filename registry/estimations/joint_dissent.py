"""Groups of sources that dissent together in a run, and the queries on which they do."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import structlog

from estimator import Estimate
from estimator.result import JointDissent as EstimatedDissent
from registry.estimations.model import EstimationRun
from registry.estimations.store.votes import RunVotes, class_wordings, query_texts
from registry.events import store as events
from registry.platform.database.base import AsyncSession
from registry.sources.model import Source
from registry.sources.schemas import DissentedQuery, JointDissent

log = structlog.get_logger(__name__)

DISSENT_TOGETHER: Final = "sources_dissent_together"
"""Kind of the event of a group of sources that do."""


async def write_dissents(
    session: AsyncSession, run: EstimationRun, sources: Sequence[Source], run_votes: RunVotes, estimate: Estimate
) -> None:
    """The groups of the run, and an event and a warning in the log for each; the caller commits.

    `sources` are in the order of those of the estimate.
    """
    groups = [await _group(session, run, sources, run_votes, found) for found in estimate.dissents]
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
