"""The gain of more queries: the intervals of a run beside those that a longer one would have."""

import math
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from scipy.special import ndtri

from estimator.prior import CREDIBILITY
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.store.votes import mean_confidences
from registry.platform.database.base import AsyncSession
from registry.platform.enums import RunStatus
from registry.queries.schemas import MoreQueries, SourceWidth
from registry.viewers.model import ALL_SEEING, Viewer

QUERIES: Final = 20
SHOWN: Final = 20
SUGGESTIONS: Final = 5
_DEVIATIONS: Final = 2 * float(ndtri(0.5 + CREDIBILITY / 2))
"""Standard deviations in an interval."""


def narrowing(strength: float, votes: int, more: float) -> float:
    """The share of the width of an interval that `more` votes leave, if the prior counts as much as `strength` votes.

    >>> narrowing(5.0, votes=15, more=60)
    0.5
    """
    return math.sqrt((strength + votes) / (strength + votes + more)) if votes else 1.0


async def more_queries(session: AsyncSession, run: EstimationRun, viewer: Viewer = ALL_SEEING) -> MoreQueries | None:
    """The gain of `QUERIES` more for a run, and suggestions that the viewer may see; None if the run did not succeed,
    or its votes cannot tell who is reliable.
    """
    if run.status != RunStatus.SUCCEEDED or run.doubt is not None or not run.queries_total:
        return None
    confidence = await mean_confidences(session, run.id)
    more = of_sources(run, await estimations.sources_of(session, run), confidence)
    suggestions = tuple(await estimations.suggestions(session, run, SUGGESTIONS, viewer))
    return more and more.model_copy(update={"suggestions": suggestions})


def of_sources(run: EstimationRun, rows: Sequence[RunSource], confidence: Mapping[UUID, float]) -> MoreQueries | None:
    """The same from the estimates of the run and the mean confidence of the reader in the votes of sources, 1 where
    there is none; None where no source has votes and an interval.
    """
    strength = _strength(run)
    widths = [
        _of_source(row, strength, confidence.get(row.source_id, 1.0), run.queries_total)
        for row in rows
        if row.vote_count and row.lower is not None
    ]
    if not widths:
        return None
    return MoreQueries(
        queries=QUERIES,
        width=sum(source.width for source in widths) / len(widths),
        expected_width=sum(source.expected_width for source in widths) / len(widths),
        sources=sorted(widths, key=lambda source: (-source.width, source.source_name))[:SHOWN],
    )


def _strength(run: EstimationRun) -> float:
    """The number of votes that the prior counts as: the strength of a Beta distribution of its mean and width."""
    if run.prior is None or run.prior_lower is None or run.prior_upper is None:
        return 0.0
    deviation = max((run.prior_upper - run.prior_lower) / _DEVIATIONS, 1e-6)
    return max(run.prior * (1 - run.prior) / deviation**2 - 1, 0.0)


def _of_source(row: RunSource, strength: float, confidence: float, queries: int) -> SourceWidth:
    lower, upper = row.lower or 0.0, row.upper or 0.0
    # The lower end allows for misreadings that sources share, which no vote tells; the rest narrows.
    read = min(lower / confidence, row.reliability) if confidence else lower

    def expected(more: float) -> float:
        share = narrowing(strength, row.vote_count, more)
        return (upper - read) * share + (1 - confidence) * (row.reliability - (row.reliability - read) * share)

    return SourceWidth(
        source_id=row.source_id,
        source_name=row.source_name,
        votes=row.vote_count,
        width=upper - lower,
        expected_width=expected(QUERIES * row.vote_count / queries),
        expected_if_it_answers=expected(QUERIES),
    )
