"""What a run says about sources that dissent together: whom, and on which queries."""

from collections.abc import Sequence
from typing import Final

import structlog
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from estimator import Estimate
from registry.estimations.model import EstimationRun, RunQuery
from registry.estimations.votes import RunVotes
from registry.events import store as events
from registry.sources.model import Source

log = structlog.get_logger(__name__)

DISSENT_TOGETHER: Final = "sources_dissent_together"
"""Kind of the event of a group of sources that do."""
_MOST_NAMES: Final = 8
_MOST_QUERIES: Final = 3


async def warn_of_dissent(
    session: AsyncSession, run: EstimationRun, sources: Sequence[Source], run_votes: RunVotes, estimate: Estimate
) -> None:
    """An event and a warning in the log for each group, and a sentence in the reason of the run; the caller commits.

    `sources` are in the order of those of the estimate.
    """
    for group in estimate.dissents:
        query_ids = [run_votes.query_ids[query] for query in group.queries]
        rows = select(RunQuery.query_text).where(RunQuery.estimation_id == run.id, RunQuery.query_id.in_(query_ids))
        texts = (await session.scalars(rows.order_by(RunQuery.query_text))).all()
        names = [sources[member].name for member in group.members]
        alarm = {
            "source_ids": [str(sources[member].id) for member in group.members],
            "source_names": names,
            "query_ids": list(map(str, query_ids)),
            "queries": list(texts),
            "log_odds": group.log_odds,
        }
        events.publish(session, run.id, DISSENT_TOGETHER, alarm)
        log.warning(DISSENT_TOGETHER, estimation_id=str(run.id), **alarm)
        run.reason = f"{run.reason}; {_sentence(names, texts)}"


def _sentence(names: Sequence[str], queries: Sequence[str]) -> str:
    """Names and queries, of many the first ones.

    >>> _sentence(["Herald", "Post"], ["Who leads Acme?"])
    'warning: Herald, Post agree with each other and against the others on "Who leads Acme?"'
    """
    asked = [f'"{query}"' for query in queries]
    return f"warning: {_listed(names, _MOST_NAMES)} agree with each other and against the others on " + _listed(
        asked, _MOST_QUERIES
    )


def _listed(items: Sequence[str], most: int) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more
