"""An estimate that follows sources over time: sources that turned have a reliability in each of their periods."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self, TypeAlias

import numpy as np

from estimator.arrays.sorting import starts
from estimator.arrays.types import Floats, Integers, read_only
from estimator.drift.change_points import TimedVotes, change_points
from estimator.result import Estimate, Period, SourceHistory, WarmStart
from estimator.votes import VoteMatrix
from estimator.weights import log_odds


@dataclass(frozen=True, slots=True, eq=False)
class Periods:
    """N sources, some in several periods, as numbered parts.

    The last period of a source has the number of the source, so that it is what the source is at present; earlier ones,
    and votes of unknown time of a source with several periods, follow from N on.

    >>> periods = Periods.of({1: (5.0,)}, 3)
    >>> periods.part(np.array([0, 1, 1, 1]), np.array([2.0, 4.0, 5.0, np.nan])).tolist()
    [0, 3, 1, 4]
    """

    starts: Mapping[int, tuple[float, ...]]
    """The times at which the second and later periods of each source begin, rising."""
    first_part: Mapping[int, int]
    """The number of the first period of each source; the others but the last follow it, then its votes of unknown time.
    """
    source: Integers
    """(P,) source of every part."""

    @classmethod
    def of(cls, turns: Mapping[int, Iterable[float]], source_count: int) -> Self:
        """Number the parts, given the times at which periods begin by source."""
        starts = {source: tuple(begins) for source, begins in turns.items()}
        added = np.array([len(begins) + 1 for begins in starts.values()], dtype=np.int64)
        first = (source_count + np.cumsum(added) - added).tolist()
        turned = np.repeat(np.array(list(starts), dtype=np.int64), added)
        return cls(starts, dict(zip(starts, first, strict=True)), np.concatenate((np.arange(source_count), turned)))

    def parts_of(self, source: int) -> list[int]:
        """The parts of a source that turned which are periods, in the order of time."""
        first = self.first_part[source]
        return [*range(first, first + len(self.starts[source])), source]

    def part(self, source: Integers, time: Floats) -> Integers:
        """(V,) part of votes of these sources (V,) and times (V,), NaN where unknown."""
        part = source.copy()
        for turned, begins in self.starts.items():
            own = np.flatnonzero(source == turned)
            unknown = self.first_part[turned] + len(begins)
            period = np.searchsorted(begins, time[own], side="right")
            part[own] = np.where(np.isnan(time[own]), unknown, np.array(self.parts_of(turned))[period])
        return part

    def groups(self, groups: Integers) -> Integers:
        """(P,) copy groups of the parts, given those (N,) of the sources: a group is one in each of its periods."""
        period = np.zeros(self.source.size, dtype=np.int64)
        for turned, first in self.first_part.items():
            count = len(self.starts[turned])
            period[first : first + count + 1] = [*range(count), -1]
            period[turned] = count
        span = int(period.max(initial=0)) + 2
        labels: Integers = np.unique(groups[self.source] * span + period + 1, return_inverse=True)[1]
        return labels

    def split(self, votes: VoteMatrix, part: Integers) -> VoteMatrix:
        """The votes as those of their parts (V,); classes and queries stay as they are."""
        return votes.of_sources(part, self.source.size)


PRIOR_ODDS: Final = 1 / 400
"""Odds that a source turns, before its votes are seen; benchmarks/notes/drift.md says which data chose it."""
# The periods are looked for again under the fit that knows those found before, at most so often.
_FITS: Final = 3
# Each period may be split in two again, so often.
_SPLITS: Final = 2
_CERTAIN: Final = 1e-4

Turns: TypeAlias = Mapping[int, Mapping[float, float]]
"""The times at which the second and later periods of each source that turned begin, with the log odds of each turn."""
Refit: TypeAlias = Callable[[VoteMatrix, Integers, WarmStart | None], Estimate]
"""The same method on votes of sources that are numbered anew, with these copy groups and this start."""


def following_turns(
    votes: VoteMatrix, time: Floats, result: Estimate, refit: Refit, prior_odds: float = PRIOR_ODDS
) -> Estimate:
    """The estimate with the present reliability of every source; `result` itself where no source turned.

    `time` (V,) is in the order of `votes.triples()`, NaN where unknown. The result must come from a method that gives
    probabilities that answers are right. `prior_odds` are the odds that a source turns, before its votes are seen.
    """
    source = votes.source.astype(np.int64)
    turns: Turns = {}
    periods, fit, part = Periods.of(turns, votes.source_count), result, source
    for _ in range(_FITS):
        turns = _turns(votes, time, fit, part, prior_odds)
        previous, periods = periods, Periods.of(turns, votes.source_count)
        if not turns:
            return result
        if periods.starts == previous.starts:
            break
        part = periods.part(source, time)
        start = None if result.state is None else replace(result.state, reliability=result.reliability[periods.source])
        fit = refit(periods.split(votes, part), periods.groups(result.groups), start)
    return _merged(result, fit, _histories(fit, periods, turns, part, time))


def _turns(votes: VoteMatrix, time: Floats, fit: Estimate, part: Integers, prior_odds: float) -> Turns:
    """The sources that turned, given a fit of the parts (V,) that the votes belong to."""
    dated = np.flatnonzero(~np.isnan(time))
    if not dated.size:
        return {}
    source, vote_class, number = votes.source[dated].astype(np.int64), votes.vote_class[dated], part[dated]
    own = overall = np.clip(fit.reliability, 0.01, 0.99)
    if fit.topics is not None:
        number = number * fit.topics.topics.count + fit.topics.topics.query_topic[votes.class_query[vote_class]]
        own = np.clip(fit.topics.reliability.ravel(), 0.01, 0.99)
        overall = np.repeat(overall, fit.topics.topics.count)
    right = np.clip(fit.posterior, _CERTAIN, 1 - _CERTAIN)
    read = np.ones(dated.size) if votes.read is None else votes.read[dated]
    difficulty = difficulty_offsets(source, time[dated], right[vote_class], read * own[number], votes.source_count)
    order = np.lexsort((time[dated], source))
    source, vote_class, number, read = source[order], vote_class[order], number[order], read[order]
    log_ratio = log_odds(right)[vote_class] - log_odds(read * own[number])
    if votes.read is not None:
        # A vote that may be misread says less of its source.
        log_ratio = np.log1p(read * np.expm1(log_ratio))
    first = np.flatnonzero(starts(source))
    segments = TimedVotes(
        first,
        time[dated][order],
        log_ratio,
        (log_odds(own) - log_odds(overall))[number],
        difficulty[order],
    )
    owner, turns = source[first], defaultdict[int, dict[float, float]](dict)
    for _ in range(_SPLITS):
        change = change_points(segments)
        odds = change.log_factor + np.log(prior_odds)
        turned = np.flatnonzero(odds > 0)
        begins = segments.time[segments.first[turned] + change.begins[turned]]
        for split, begin, log_odds_there in zip(
            owner[turned].tolist(), begins.tolist(), odds[turned].tolist(), strict=True
        ):
            turns[split][begin] = log_odds_there
        segments, owner = segments.take(turned), np.repeat(owner[turned], 2)
        halves = np.stack((segments.first, segments.first + change.begins[turned]), axis=1)
        segments = replace(segments, first=halves.ravel())
    return {turned_source: dict(sorted(begins.items())) for turned_source, begins in sorted(turns.items())}


def _merged(result: Estimate, fit: Estimate, histories: tuple[SourceHistory, ...]) -> Estimate:
    """The estimate of the sources, each as in its last period, from that of all parts."""
    count = result.reliability.size
    state = None if fit.state is None else replace(fit.state, reliability=fit.state.reliability[:count])
    return replace(
        fit,
        reliability=read_only(fit.reliability[:count]),
        weight=read_only(fit.weight[:count]),
        lower=read_only(fit.lower[:count]),
        upper=read_only(fit.upper[:count]),
        vote_count=result.vote_count,
        groups=result.groups,
        copies=result.copies,
        dissents=result.dissents,
        state=state,
        reason=f"{result.reason}; {_summary(histories)}" if result.reason else _summary(histories),
        topics=fit.topics and fit.topics.of_first(count),
        histories=histories,
    )


def _histories(
    fit: Estimate, periods: Periods, turns: Turns, part: Integers, time: Floats
) -> tuple[SourceHistory, ...]:
    histories = []
    for source, begins in turns.items():
        parts, odds = periods.parts_of(source), [None, *begins.values()]
        times = [time[part == number] for number in parts]
        histories.append(
            SourceHistory(
                source,
                tuple(
                    Period(
                        start=float(own.min()),
                        end=float(own.max()),
                        reliability=float(fit.reliability[number]),
                        lower=float(fit.lower[number]),
                        upper=float(fit.upper[number]),
                        weight=float(fit.weight[number]),
                        vote_count=own.size,
                        log_odds=log_odds_there,
                    )
                    for number, own, log_odds_there in zip(parts, times, odds, strict=True)
                ),
            )
        )
    return tuple(histories)


def _summary(histories: tuple[SourceHistory, ...]) -> str:
    count = len(histories)
    return (
        "1 source turned and counts as at present" if count == 1 else f"{count} sources turned and count as at present"
    )


_INTERVALS: Final = 12


def difficulty_offsets(source: Integers, time: Floats, right: Floats, reliability: Floats, source_count: int) -> Floats:
    """(V,) what the log odds of being right were above those of the reliabilities, by the other sources' votes.

    `source`, `time`, the probability `right` that the vote is right and the `reliability` that its source has then are
    all (V,). Time is cut into intervals with equally many votes; a source's own votes do not count for its offset.
    """
    edges = np.quantile(time, np.linspace(0, 1, _INTERVALS + 1)[1:-1], method="inverted_cdf")
    interval = np.searchsorted(edges, time, side="left")
    cell = source * _INTERVALS + interval

    def of_others(value: Floats | None) -> Floats:
        own = np.bincount(cell, value, minlength=source_count * _INTERVALS).reshape(source_count, _INTERVALS)
        others: Floats = own.sum(axis=0) - own
        return others

    count = of_others(None) + 2
    offset = log_odds((of_others(right) + 1) / count) - log_odds((of_others(reliability) + 1) / count)
    of_vote: Floats = offset[source, interval]
    return of_vote
