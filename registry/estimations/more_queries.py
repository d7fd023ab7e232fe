"""The gain of more queries: the intervals of a run beside those that a longer one would have."""

from collections.abc import Mapping, Sequence
from heapq import nsmallest
from typing import Final, TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from estimator.prior import CREDIBILITY
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.store.estimates import estimates_of
from registry.estimations.store.votes import mean_confidences
from registry.platform.database.base import AsyncSession
from registry.platform.enums import RunStatus
from registry.queries.schemas import MoreQueries, SourceWidth
from registry.viewers.model import ALL_SEEING, Viewer

Floats: TypeAlias = NDArray[np.float64]
EstimatedSource: TypeAlias = tuple[UUID, str, float, float | None, float | None, int]
"""Identifier, name, reliability, ends of its interval, votes."""
QUERIES: Final = 20
SHOWN: Final = 20
SUGGESTIONS: Final = 5
_DEVIATIONS: Final = 2 * float(ndtri(0.5 + CREDIBILITY / 2))
"""Standard deviations in an interval."""


def narrowing(strength: float, votes: Floats | float, more: Floats | float) -> Floats:
    """The share of the width of an interval that `more` votes leave, if the prior counts as much as `strength` votes.

    >>> float(narrowing(5.0, votes=15, more=60))
    0.5
    """
    known = strength + np.asarray(votes, dtype=np.float64)
    left: Floats = np.sqrt(known / np.maximum(known + more, np.finfo(np.float64).tiny))
    return np.where(np.asarray(votes) > 0, left, 1.0)


async def more_queries(session: AsyncSession, run: EstimationRun, viewer: Viewer = ALL_SEEING) -> MoreQueries | None:
    """The gain of `QUERIES` more for a run, and suggestions that the viewer may see; None if the run did not succeed,
    or its votes cannot tell who is reliable.
    """
    if run.status != RunStatus.SUCCEEDED or run.doubt is not None or not run.queries_total:
        return None
    confidence = await mean_confidences(session, run.id)
    more = of_sources(run, await estimates_of(session, run), confidence)
    suggestions = tuple(await estimations.suggestions(session, run, SUGGESTIONS, viewer))
    return more and more.model_copy(update={"suggestions": suggestions})


def of_sources(
    run: EstimationRun, rows: Sequence[EstimatedSource], confidence: Mapping[UUID, float]
) -> MoreQueries | None:
    """The same from the estimates of the run and the mean confidence of the reader in the votes of sources, 1 where
    there is none; None where no source has votes and an interval.
    """
    known = [row for row in rows if row[-1] and row[3] is not None]
    if not known:
        return None
    ids, names, *columns = zip(*known, strict=True)
    reliability, lower, upper, votes = np.array(columns, dtype=np.float64)
    sure = np.array([confidence.get(source_id, 1.0) for source_id in ids])
    # The lower end allows for misreadings that sources share, which no vote tells; the rest narrows.
    read = np.where(sure > 0, np.minimum(lower / np.where(sure > 0, sure, 1.0), reliability), lower)

    def expected(more: Floats | float) -> Floats:
        share = narrowing(_strength(run), votes, more)
        left: Floats = (upper - read) * share + (1 - sure) * (reliability - (reliability - read) * share)
        return left

    width, wide, answering = upper - lower, expected(QUERIES * votes / run.queries_total), expected(QUERIES)
    first = nsmallest(SHOWN, range(len(known)), key=lambda place: (-width[place], names[place]))
    return MoreQueries(
        queries=QUERIES,
        width=float(width.mean()),
        expected_width=float(wide.mean()),
        sources=[
            SourceWidth(
                source_id=ids[place],
                source_name=names[place],
                votes=int(votes[place]),
                width=float(width[place]),
                expected_width=float(wide[place]),
                expected_if_it_answers=float(answering[place]),
            )
            for place in first
        ],
    )


def _strength(run: EstimationRun) -> float:
    """The number of votes that the prior counts as: the strength of a Beta distribution of its mean and width."""
    if run.prior is None or run.prior_lower is None or run.prior_upper is None:
        return 0.0
    deviation = max((run.prior_upper - run.prior_lower) / _DEVIATIONS, 1e-6)
    return max(run.prior * (1 - run.prior) / deviation**2 - 1, 0.0)
