"""Whether votes can tell reliable sources from others at all.

Where nearly all votes name one answer, whatever the query, or sources agree no more often than chance, the votes fit a
world in which that answer is always right as well as one in which it seldom is: reliabilities are not identified.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from estimator.arrays.types import Floats, Indices, Integers, read_only
from estimator.result import Estimate
from estimator.votes import VoteMatrix

LARGEST_SHARE: Final = 0.9
"""Of all votes; above it they hardly differ."""
FEWEST_QUERIES: Final = 20
"""With two votes or more; of fewer the intervals are wide by themselves."""
FLAT_INTERVAL: Final = (0.05, 0.95)
"""The 90 % interval of a reliability of which nothing is known."""
_Z: Final = 1.645
_SAMPLED_QUERIES: Final = 50_000


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far votes agree on the queries that have several."""

    queries: int
    """Queries with two votes or more; of very many a sample."""
    largest_share: float
    """Share of the votes that name the most frequent answer of all queries together."""
    alpha: float
    """Krippendorff's alpha for nominal data: 1 for full agreement, 0 for that of chance; NaN if all votes are alike."""
    alpha_lower: float
    """Lower end of its 90 % interval, from its variance between queries."""

    @classmethod
    def of(cls, votes: VoteMatrix) -> "Agreement":
        """The agreement of the votes.

        >>> votes = VoteMatrix.from_triples([0, 0, 1, 1], [0, 1, 0, 1], [7, 7, 8, 8], query_count=2, source_count=2)
        >>> Agreement.of(votes).alpha
        1.0
        """
        class_query, class_answer, count = _classes(votes)
        several = np.bincount(class_query, weights=count)[class_query] > 1
        query, answer, count = _renumbered(class_query[several]), _renumbered(class_answer[several]), count[several]
        if not count.size:
            return cls(0, np.nan, np.nan, np.nan)
        total = float(count.sum())
        votes_of_query = np.asarray(np.bincount(query, weights=count), dtype=np.float64)
        votes_of_answer = np.bincount(answer, weights=count)
        observed = (votes_of_query**2 - np.bincount(query, weights=count**2)) / (votes_of_query - 1)
        expected = (total**2 - (votes_of_answer**2).sum()) / (total - 1)
        ratio = observed.sum() / expected if expected else np.nan
        error = _ratio_error(observed, votes_of_query) * total / expected if expected else np.nan
        share = votes_of_answer.max() / total
        return cls(int(votes_of_query.size), float(share), float(1 - ratio), float(1 - ratio - _Z * error))

    @property
    def doubt(self) -> str:
        """Why the votes cannot tell who is reliable; empty if they can, or are too few to say."""
        if self.queries < FEWEST_QUERIES:
            return ""
        if self.largest_share > LARGEST_SHARE:
            return f"one answer takes {self.largest_share:.0%} of all votes"
        if self.alpha_lower <= 0:
            return "sources agree no more often than chance"
        return ""


def _ratio_error(disagreement: Floats, votes_of_query: Floats) -> float:
    """Standard error of the ratio of the two sums, linearised (Cochran 1977, section 6.3)."""
    mean = disagreement.sum() / votes_of_query.sum()
    return float(np.sqrt(((disagreement - mean * votes_of_query) ** 2).sum()) / votes_of_query.sum())


def _renumbered(ids: Indices | Integers) -> Integers:
    return np.unique(ids, return_inverse=True)[1].astype(np.int64)


def _classes(votes: VoteMatrix) -> tuple[Indices, Integers, Floats]:
    """Query, answer and number of votes of the answer classes; of very many queries those of every second, third ..."""
    count = np.diff(votes.class_start).astype(np.float64)
    step = -(-votes.query_count // _SAMPLED_QUERIES)
    kept = votes.class_query % step == 0 if step > 1 else slice(None)
    return votes.class_query[kept], votes.class_answer[kept], count[kept]


def widened(votes: VoteMatrix, estimate: Estimate) -> Estimate:
    """The estimate as it is, or, if the votes cannot tell, with intervals that say so and the reason."""
    doubt = Agreement.of(votes).doubt
    if not doubt:
        return estimate
    low, high = FLAT_INTERVAL
    reason = "; ".join(filter(None, [f"these votes cannot tell how reliable sources are: {doubt}", estimate.reason]))
    topics = estimate.topics and replace(
        estimate.topics,
        lower=read_only(np.minimum(estimate.topics.lower, low)),
        upper=read_only(np.maximum(estimate.topics.upper, high)),
    )
    lower, upper = np.minimum(estimate.lower, low), np.maximum(estimate.upper, high)
    return replace(estimate, lower=read_only(lower), upper=read_only(upper), topics=topics, reason=reason)


def allow_for_misreadings(estimate: Estimate, confidence: Floats) -> Estimate:
    """The estimate with intervals that reach down to where all misreadings are alike for all sources.

    `confidence` (N,) is the mean probability that a vote of the source is what it says. Misreadings that differ between
    sources already count as errors of theirs. If a reader takes the same wrong words from every source, sources agree
    on wrong answers, and the share of right votes is smaller by up to the share of misreadings. Which of both holds the
    votes do not say.

    >>> from estimator import estimate, from_records
    >>> result = estimate(from_records(["q"], ["a"], ["Oslo"]).votes, "bayes")
    >>> doubtful = allow_for_misreadings(result, np.array([0.5]))
    >>> bool(doubtful.lower[0] == result.lower[0] / 2), bool(doubtful.upper[0] == result.upper[0])
    (True, True)
    """
    by_topic = confidence[:, None]
    topics = estimate.topics and replace(estimate.topics, lower=read_only(estimate.topics.lower * by_topic))
    return replace(estimate, lower=read_only(estimate.lower * confidence), topics=topics)
