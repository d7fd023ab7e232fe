"""Whether votes can tell reliable sources from others, and what shared misreadings leave open.

Where nearly all votes name one answer, whatever the query, the votes fit a world in which that answer is always right
as well as one in which it seldom is: reliabilities are not identified. Nor are they where at most one source is better
than chance, as the likelihood is then the same for any of them.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from scipy.special import ndtri

from estimator.arrays.sorting import unique_inverse
from estimator.arrays.types import Floats, Integers, read_only
from estimator.group_votes import supporting_groups
from estimator.policies import Doubt
from estimator.prior import CREDIBILITY
from estimator.result import Estimate
from estimator.votes import VoteMatrix

LARGEST_SHARE: Final = 0.9
"""Largest share of one answer among all votes; above it they hardly differ (benchmarks/notes/estimator.md says what was
measured)."""
FEWEST_QUERIES: Final = 20
"""Fewest queries with two votes or more and no gold answer; with fewer the intervals are wide by themselves."""
LARGEST_R_HAT: Final = 2.0
"""Largest R-hat of samples; above it they do not agree on one interpretation (benchmarks/notes/estimator.md says what
chose it)."""
LARGEST_TURNED: Final = 0.3
"""Largest share of the answers that one separate run turns. Where liars are about to win it is nearly 1, among nine
honest sources 0.11 at most, on five real sets 0.14: half and double decide alike (benchmarks/notes/poisoning.md)."""
SYSTEMATIC_SHARE: Final = 0.25
"""Share of the dissent that is one standard deviation of the error of reliabilities because sources share errors. What
it holds, and what half and double would, is in benchmarks/notes/estimator.md."""
FLAT_INTERVAL: Final = (0.05, 0.95)
"""The 90 % interval of a reliability of which nothing is known."""
_END_DEVIATE: Final = float(ndtri(0.5 + CREDIBILITY / 2))


def doubt_of(
    votes: VoteMatrix, diagnostics: Mapping[str, float], gold: Integers | None = None
) -> tuple[Doubt, str] | None:
    """The reason why the votes cannot tell who is reliable, given the figures of the estimate and gold answers (M,), -1
    where unknown, also in words; None if they can, or are too few to say.

    >>> import numpy as np
    >>> query, source = np.divmod(np.arange(80), 2)
    >>> alike = VoteMatrix.from_triples(query, source, np.full(80, 7), query_count=40, source_count=2)
    >>> doubt_of(alike, {})[1]
    'one answer takes 100% of all votes'
    """
    count = np.diff(votes.class_start)
    votes_of_query = np.bincount(votes.class_query, weights=count, minlength=votes.query_count)
    unsettled = votes_of_query > 1
    if gold is not None:
        unsettled &= gold < 0
    if np.count_nonzero(unsettled) < FEWEST_QUERIES:
        return None
    several = unsettled[votes.class_query]
    answer = votes.class_answer[several]
    _, position = unique_inverse(answer, int(answer.max()) + 1)
    votes_of_answer = np.bincount(position, weights=count[several])
    share = float(votes_of_answer.max() / votes_of_answer.sum())
    if share > LARGEST_SHARE:
        return Doubt.ONE_ANSWER, f"one answer takes {share:.0%} of all votes"
    if diagnostics.get("gain_over_chance", np.inf) <= 0:
        return Doubt.AT_RANDOM, "random answers explain them as well"
    r_hat = diagnostics.get("r_hat", 1.0)
    if r_hat > LARGEST_R_HAT:
        return Doubt.SEVERAL_FITS, f"samples of the posterior do not agree, R-hat is {r_hat:.1f}"
    turned = diagnostics.get("turned", 0.0)
    if turned > LARGEST_TURNED:
        return Doubt.SEPARATE_RUNS, f"{turned:.0%} of the answers change if some of the queries are left out"
    return None


def widened(votes: VoteMatrix, estimate: Estimate, gold: Integers | None) -> Estimate:
    """The estimate as it is, or, if the votes cannot tell, with intervals that say so and the reason."""
    found = doubt_of(votes, estimate.diagnostics, gold)
    if found is None:
        return estimate
    (low, high), (doubt, words) = FLAT_INTERVAL, found
    reason = "; ".join(filter(None, [f"the votes cannot tell which sources are reliable: {words}", estimate.reason]))
    topics = estimate.topics and replace(
        estimate.topics,
        lower=read_only(np.minimum(estimate.topics.lower, low)),
        upper=read_only(np.maximum(estimate.topics.upper, high)),
    )
    lower, upper = read_only(np.minimum(estimate.lower, low)), read_only(np.maximum(estimate.upper, high))
    return replace(estimate, lower=lower, upper=upper, topics=topics, reason=reason, doubt=doubt)


def allow_for_misreadings(estimate: Estimate, confidence: Floats) -> Estimate:
    """The estimate with intervals that reach down to where all misreadings are alike for all sources.

    `confidence` (N,) is the mean probability that a vote of the source is what it says. Misreadings that differ between
    sources already count as errors of theirs. If a reader takes the same wrong words from every source, sources agree
    on wrong answers, and the share of right votes is smaller by up to the share of misreadings. Which of both holds the
    votes do not say.

    >>> from estimator import estimate, from_records
    >>> result = estimate(from_records(["q"], ["a"], ["Oslo"]).votes, "one_coin")
    >>> doubtful = allow_for_misreadings(result, np.array([0.5]))
    >>> bool(doubtful.lower[0] == result.lower[0] / 2), bool(doubtful.upper[0] == result.upper[0])
    (True, True)
    """
    by_topic = confidence[:, None]
    topics = estimate.topics and replace(estimate.topics, lower=read_only(estimate.topics.lower * by_topic))
    return replace(estimate, lower=read_only(estimate.lower * confidence), topics=topics)


def with_systematic(votes: VoteMatrix, estimate: Estimate) -> Estimate:
    """The estimate with the standard deviation of the error that sources may share, where it says how probably each
    answer is right: a part of the dissent, in which each copy group counts once.
    """
    if np.isnan(estimate.posterior).any():
        return estimate
    return replace(estimate, systematic=read_only(systematic_error(votes, estimate.groups, estimate.posterior)))


def systematic_error(votes: VoteMatrix, groups: Integers, posterior: Floats) -> Floats:
    """(N,) standard deviations of the errors that sources may share, given their copy groups (N,) and the probability
    (C,) that each class is right.
    """
    return SYSTEMATIC_SHARE * dissent(votes, supporting_groups(votes, groups), posterior)


def dissent(votes: VoteMatrix, supporters: Integers, right: Floats) -> Floats:
    """(N,) mean share of the groups that vote against the likeliest answer, over the queries of each source that have
    two groups or more, given the groups (C,) that vote for each class and the probability (C,) that it is right. Of a
    source without such queries it is the mean of the others, 0 if there are none.
    """
    query, count = votes.class_query, votes.query_count
    total, most, behind = np.bincount(query, supporters, count), np.zeros(count), np.zeros(count)
    np.maximum.at(most, query, right)
    np.maximum.at(behind, query, np.where(right >= most[query], supporters, 0))
    several = total > 1
    # Summed class by class: arrays of all votes would take more memory than the fit.
    table, against = votes.table(), np.where(several, 1 - behind / np.maximum(total, 1), 0.0)
    summed, counted = (table.sum_by_source(value[query]) for value in (against, several.astype(np.float64)))
    mean = np.full(counted.size, summed.sum() / max(counted.sum(), 1))
    return np.asarray(np.divide(summed, counted, out=mean, where=counted > 0))


def systematic_band(
    reliability: Floats | float, lower: Floats | float, upper: Floats | float, systematic: Floats | float
) -> tuple[Floats, Floats]:
    """Ends of the interval around reliabilities, given those of the statistical one and the standard deviation of the
    systematic error: the distances of the two add up in squares. What share of reliabilities it holds is not known.

    >>> ends = systematic_band(np.array([0.8]), np.array([0.74]), np.array([0.86]), 0.08 / 1.6448536)
    >>> [round(float(end[0]), 3) for end in ends]
    [0.7, 0.9]
    """
    below = np.hypot(reliability - lower, _END_DEVIATE * systematic)
    above = np.hypot(upper - reliability, _END_DEVIATE * systematic)
    return np.maximum(reliability - below, 0.0), np.minimum(reliability + above, 1.0)
