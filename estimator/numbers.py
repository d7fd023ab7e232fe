"""Votes that are numbers: nearness instead of equality, by a median that weighs sources by how far off they are.

The conflict resolution on heterogeneous data of Li et al. 2014 (SIGMOD, section 2, doi:10.1145/2588555.2610509), for
numbers: the error of a vote is its distance from the truth over the standard deviation of the votes on its query, the
weight of a source is `-log` of its share of all mean errors, and the truth of a query is the weighted median of its
votes. The two are estimated in turn.

The paper sums the errors of a source. Here it is the mean, with one vote of the mean error of all sources added, as
sources vote on different numbers of queries, and one that is never off would outweigh all others.

>>> import numpy as np
>>> result = estimate_numbers([0, 0, 0], [0, 1, 2], [10.0, 14.0, 500.0], query_count=1, source_count=3)
>>> result.value.tolist(), result.deviation.round(2).tolist()
([14.0], [-0.02, 0.0, 2.11])
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.types import Floats, Integers, read_only
from estimator.arrays.vote_table import integers, largest, parallel
from estimator.errors import EstimatorError

# Weights that differ by less than this share of the whole are equal.
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class NumbersEstimate:
    """The consensus of V votes of N sources on M queries, and the errors of each source.

    >>> result = estimate_numbers([0, 0, 0], [0, 1, 2], [1.0, 2.0, 4.0], query_count=1, source_count=3)
    >>> result.lower.tolist(), result.value.tolist(), result.upper.tolist()
    ([1.0], [2.0], [4.0])
    """

    value: Floats
    """(M,) the weighted median of the votes, NaN without votes."""
    lower: Floats
    """(M,) lower end of the range in which the middle 90 % of the weight of the votes lies."""
    upper: Floats
    """(M,) upper end of it."""
    error: Floats
    """(N,) mean error of the votes of each source, in standard deviations of the votes on their queries."""
    weight: Floats
    """(N,) what a vote weighs, above 0."""
    deviation: Floats
    """(V,) how far above the value each vote is, in standard deviations of the votes on its query; 0 where all are
    equal."""
    rounds: int


def estimate_numbers(
    query: ArrayLike,
    source: ArrayLike,
    value: ArrayLike,
    *,
    query_count: int,
    source_count: int,
    weight: ArrayLike | None = None,
    max_rounds: int = 100,
) -> NumbersEstimate:
    """Estimate M numbers and the errors of N sources from three parallel (V,) columns.

    The values on a query are in one unit; other queries may have others. `weight` (N,) is that of an earlier estimate,
    to be taken as it is. Without it rounds stop after `max_rounds`, or when no weight moves any more.
    Raises EstimatorError for numbers that are not finite, for ids out of range, for weights that are not above 0, and
    for two votes of one source on one query.

    Where all votes on a query are equal, they say nothing of how far off anybody is. Units cancel: the votes on a query
    may be shifted and scaled, and what is estimated is shifted and scaled with them.

    >>> estimate_numbers([0, 0, 1], [0, 1, 0], [1.0, 2.0, 40.0], query_count=2, source_count=2).value.tolist()
    [1.5, 40.0]
    """
    votes = _Numbers.of(query, source, value, query_count, source_count)
    if weight is None:
        weights, rounds = votes.weights(max_rounds)
    else:
        weights, rounds = _given(weight, source_count), 0
    truth = votes.median(weights)
    deviation = np.empty(votes.value.size)
    deviation[votes.order] = votes.deviations(truth)
    return NumbersEstimate(
        value=read_only(truth),
        lower=read_only(votes.quantile(weights, 0.05)),
        upper=read_only(votes.quantile(weights, 0.95)),
        error=read_only(votes.mean_errors(truth)),
        weight=read_only(weights),
        deviation=read_only(deviation),
        rounds=rounds,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """Votes in the order of their queries, and there of their values and sources."""

    query: Integers
    source: Integers
    value: Floats
    order: Integers
    """(V,) places of the votes as they were given."""
    start: Integers
    """(M + 1,) first vote on each query, then V."""
    spread: Floats
    """(M,) standard deviation of the votes on each query."""
    source_count: int

    @classmethod
    def of(
        cls, query: ArrayLike, source: ArrayLike, value: ArrayLike, query_count: int, source_count: int
    ) -> "_Numbers":
        queries, sources, values = parallel(query=query, source=source, value=value)
        queries, sources = integers("query", queries).astype(np.int64), integers("source", sources).astype(np.int64)
        largest("query", queries, query_count)
        largest("source", sources, source_count)
        values = values.astype(np.float64)
        if not np.isfinite(values).all():
            raise EstimatorError("value holds numbers that are not finite; an abstention is left out")
        if np.unique(queries * max(source_count, 1) + sources).size < queries.size:
            raise EstimatorError("a source votes more than once on a query; keep one vote of a source on a query")
        order = np.lexsort((sources, values, queries))
        queries, sources, values = queries[order], sources[order], values[order]
        start = np.searchsorted(queries, np.arange(query_count + 1))
        return cls(queries, sources, values, order, start, _spread(queries, values, start), source_count)

    def weights(self, max_rounds: int) -> tuple[Floats, int]:
        """(N,) weights, and the number of rounds in which they were found."""
        weight, moved, rounds = np.ones(self.source_count), np.inf, 0
        while rounds < max_rounds and moved > _ROUNDING:
            before, weight = weight, _weights(self.mean_errors(self.median(weight)))
            moved, rounds = float(np.abs(before - weight).max(initial=0.0)), rounds + 1
        return weight, rounds

    def median(self, weight: Floats) -> Floats:
        """(M,) weighted medians, in the middle of two where each side weighs as much."""
        return self.quantile(weight, 0.5)

    def quantile(self, weight: Floats, share: float) -> Floats:
        """(M,) values below which this share of the weight (N,) of the votes lies; NaN without votes."""
        total = np.concatenate(([0.0], np.cumsum(weight[self.source])))
        first, last = self.start[:-1], self.start[1:]
        has_votes = first < last
        whole = (total[last] - total[first])[has_votes]
        aim, slack = total[first][has_votes] + share * whole, _ROUNDING * total[-1]
        found = np.full(first.size, np.nan)
        most = last[has_votes] - 1
        low = np.clip(np.searchsorted(total[1:], aim - slack), first[has_votes], most)
        high = np.clip(np.searchsorted(total[1:], aim + slack, side="right"), first[has_votes], most)
        # Half of each first: the sum of two large numbers may not be one.
        found[has_votes] = np.where(low == high, self.value[low], self.value[low] / 2 + self.value[high] / 2)
        return found

    def deviations(self, truth: Floats) -> Floats:
        """(V,) differences from the truth (M,) in standard deviations; 0 where all votes are equal."""
        spread = self.spread[self.query]
        return np.divide(self.value - truth[self.query], spread, out=np.zeros(spread.size), where=spread > 0)

    def mean_errors(self, truth: Floats) -> Floats:
        """(N,) with one vote of the mean error of all added."""
        told = self.spread[self.query] > 0
        errors, source = np.abs(self.deviations(truth))[told], self.source[told]
        of_all = float(errors.mean()) if errors.size else 0.0
        count = np.bincount(source, minlength=self.source_count)
        return np.asarray((np.bincount(source, errors, self.source_count) + of_all) / (count + 1))


def _weights(error: Floats) -> Floats:
    """(N,) minus the logarithm of each source's share of the errors; 1 where nobody is ever off."""
    total = error.sum()
    if error.size < 2 or total <= 0:
        return np.ones(error.size)
    return np.asarray(-np.log(error / total))


def _given(weight: ArrayLike, source_count: int) -> Floats:
    weights = np.array(weight, dtype=np.float64)
    if weights.shape != (source_count,) or not (np.isfinite(weights) & (weights > 0)).all():
        raise EstimatorError(f"weight must be a number above 0 for each of {source_count} sources")
    return weights


def _spread(query: Integers, value: Floats, start: Integers) -> Floats:
    """(M,) standard deviations of values in the order of their queries (V,), which rise within one."""
    count = np.diff(start)
    voted = count > 0
    middle, range_ = np.zeros(count.size), np.zeros(count.size)
    low, high = value[start[:-1][voted]], value[start[1:][voted] - 1]
    middle[voted], range_[voted] = low / 2 + high / 2, high / 2 - low / 2
    # In parts of the range, whose squares are numbers however large or small that is.
    width = range_[query]
    part = np.divide(value - middle[query], width, out=np.zeros(value.size), where=width > 0)
    mean = np.bincount(query, part, count.size) / np.maximum(count, 1)
    square = np.bincount(query, (part - mean[query]) ** 2, count.size) / np.maximum(count, 1)
    return np.asarray(range_ * np.sqrt(square))
