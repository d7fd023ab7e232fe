"""What more queries would bring: from the intervals of a run to those that a longer one would have."""

import math
from collections.abc import Sequence
from typing import Final

from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun, RunSource
from registry.platform.database.base import AsyncSession
from registry.platform.enums import RunStatus
from registry.queries.schemas import MoreQueries, SourceWidth

QUERIES: Final = 20
SHOWN: Final = 20
_LEAST: Final = 1e-6


def expected_width(width: float, prior_width: float | None, votes: int, more: float) -> float:
    """Width of an interval after `more` votes, given the one after `votes` of them, and the one before any.

    Information, the reciprocal of the squared width, is that of the prior and as much again for each vote. Where votes
    tell nothing that the prior does not, more of them promise nothing.

    >>> round(expected_width(0.2, None, votes=20, more=60), 3)
    0.1
    >>> expected_width(0.5, 0.5, votes=3, more=20)
    0.5
    """
    if not votes:
        return width
    known = 1 / max(width, _LEAST) ** 2
    prior = 0.0 if prior_width is None else 1 / max(prior_width, _LEAST) ** 2
    return 1 / math.sqrt(known + max(known - prior, 0.0) * more / votes)


async def more_queries(session: AsyncSession, run: EstimationRun) -> MoreQueries | None:
    """What `QUERIES` more would bring a run; None where it did not succeed, and where its votes cannot tell who is
    reliable.
    """
    if run.status != RunStatus.SUCCEEDED or run.doubt is not None or not run.queries_total:
        return None
    return of_sources(run, await estimations.sources_of(session, run))


def of_sources(run: EstimationRun, rows: Sequence[RunSource]) -> MoreQueries | None:
    """The same from the estimates of the run; None where none has votes and an interval."""
    prior = None if run.prior_lower is None or run.prior_upper is None else run.prior_upper - run.prior_lower
    widths = [_of_source(row, prior, run.queries_total) for row in rows if row.vote_count and row.lower is not None]
    if not widths:
        return None
    return MoreQueries(
        queries=QUERIES,
        width=sum(source.width for source in widths) / len(widths),
        expected_width=sum(source.expected_width for source in widths) / len(widths),
        sources=sorted(widths, key=lambda source: (-source.width, source.source_name))[:SHOWN],
    )


def _of_source(row: RunSource, prior: float | None, queries: int) -> SourceWidth:
    width = (row.upper or 0.0) - (row.lower or 0.0)
    alike = QUERIES * row.vote_count / queries
    return SourceWidth(
        source_id=row.source_id,
        source_name=row.source_name,
        votes=row.vote_count,
        width=width,
        expected_width=expected_width(width, prior, row.vote_count, alike),
        expected_if_it_answers=expected_width(width, prior, row.vote_count, QUERIES),
    )
