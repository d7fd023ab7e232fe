"""An estimate as the service has it where its run is the current one."""

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from uuid import UUID

from estimator import Estimate
from estimator.result import SourceHistory
from registry.estimations.model import EstimationRun
from registry.platform.enums import SourceStatus
from registry.sources.reliabilities import Reliabilities, SourceReliability
from registry.sources.schemas import ReliabilityPeriod


def _moment(milliseconds: float) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def reliabilities_of(
    result: Estimate, new: Collection[int] = (), moment: Callable[[float], datetime] = _moment
) -> Reliabilities:
    """Those of its sources, numbered from 0, some of them new; `moment` gives the date of a time of its votes."""
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
        )
        for number, (reliability, has_votes) in numbered
    ]
    return Reliabilities(run, tuple(sources))


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
