"""An estimate as the service has it where its run is the current one."""

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
from numpy.typing import ArrayLike

from estimator import Estimate
from estimator.result import SourceHistory
from registry.estimations.model import EstimationRun
from registry.platform.enums import SourceStatus
from registry.sources.reliabilities import Reliabilities, SourceReliability, latecomers_of
from registry.sources.schemas import ReliabilityPeriod

_FIRST_DAY = datetime(2000, 1, 1, tzinfo=UTC)


def _moment(milliseconds: float) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def reliabilities_of(
    result: Estimate,
    new: Collection[int] = (),
    moment: Callable[[float], datetime] = _moment,
    registered: ArrayLike | None = None,
) -> Reliabilities:
    """Those of its sources, numbered from 0, some of them new; `moment` gives the date of a time of its votes, and
    `registered` (N,) the days on which sources came.
    """
    lower, upper = result.prior.interval()
    dissents = [{"source_ids": [str(UUID(int=member)) for member in group.members]} for group in result.dissents]
    run = EstimationRun(
        method=result.method,
        labels=result.labels,
        doubt=result.doubt,
        prior=result.prior.mean,
        prior_lower=lower,
        prior_upper=upper,
        joint_dissents=dissents,
    )
    group_of = {member: group for group, copies in enumerate(result.copies) for member in copies.members}
    numbered = enumerate(zip(result.reliability.tolist(), (result.vote_count > 0).tolist(), strict=True))
    days = None if registered is None else np.asarray(registered, dtype=np.float64)
    periods = {history.source: _periods(history, moment) for history in result.histories}
    sources = [
        SourceReliability(
            source_id=UUID(int=number),
            external_id=str(number),
            name=str(number),
            status=SourceStatus.ACTIVE,
            reliability=reliability if has_votes else None,
            estimated=reliability if has_votes else None,
            lower=float(result.lower[number]) if has_votes else None,
            upper=float(result.upper[number]) if has_votes else None,
            weight=float(result.weight[number]),
            vote_count=int(result.vote_count[number]),
            copy_group=group_of.get(number),
            override=None,
            is_new=number in new,
            systematic=None if result.systematic is None else float(result.systematic[number]),
            periods=periods.get(number, ()),
            created_at=None if days is None else _FIRST_DAY + timedelta(float(days[number])),
        )
        for number, (reliability, has_votes) in numbered
    ]
    return Reliabilities(run, tuple(sources), latecomers=latecomers_of(sources))


def _periods(history: SourceHistory, moment: Callable[[float], datetime]) -> tuple[ReliabilityPeriod, ...]:
    return tuple(
        ReliabilityPeriod(
            since=moment(period.start),
            until=moment(period.end),
            reliability=period.reliability,
            lower=period.lower,
            upper=period.upper,
            vote_count=period.vote_count,
            log_odds=period.log_odds,
        )
        for period in history.periods
    )
