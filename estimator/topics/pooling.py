"""Reliabilities of sources on topics, with a prior around the reliability of the source (hierarchical Bayes)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from estimator.arrays.readings import statements
from estimator.arrays.types import Floats, Scalar, read_only
from estimator.arrays.vote_table import VoteTable
from estimator.intervals import beta_posterior
from estimator.prior import BetaPrior, beta_from_moments, beta_interval, fit_prior
from estimator.result import TopicReliabilities, Topics
from estimator.source_priors import SourcePriors
from estimator.weights import clip_reliability, log_odds

# Candidates for the number of votes that a source's own reliability counts as much as, on a topic.
_STRENGTHS: Final = np.geomspace(1.0, 1000.0, 31)
# One number is fitted well enough to this many sources.
_SAMPLE: Final = 512


@dataclass(frozen=True, slots=True, eq=False)
class PooledPrior:
    """Beta distributions of the reliabilities of N sources on G topics, (G * N,) parameters each."""

    alpha: Floats
    beta: Floats
    sources: BetaPrior
    """The distribution of the reliability of a source."""

    @property
    def mean(self) -> float:
        """Expected reliability of a new source."""
        return self.sources.mean

    @property
    def strength(self) -> Floats:
        """The number of votes that each counts as much as."""
        return self.alpha + self.beta


def fit_pooled_prior(right: Floats, votes: Floats, topic_count: int) -> PooledPrior:
    """The priors of all pairs of source and topic, (G * N,), around the share of right votes of each source over all
    topics; their common strength is the most likely one (beta-binomial).
    """
    by_topic, votes_by_topic = right.reshape(topic_count, -1), votes.reshape(topic_count, -1)
    total, judged = by_topic.sum(axis=0), votes_by_topic.sum(axis=0)
    sources = fit_prior(total, judged)
    mean = (sources.alpha + total) / (sources.strength + judged)
    sample = np.flatnonzero(judged > 0)
    sample = sample[:: max(1, sample.size // _SAMPLE)]
    strength = _strength(by_topic[:, sample], votes_by_topic[:, sample], mean[sample])
    return PooledPrior(np.tile(strength * mean, topic_count), np.tile(strength * (1 - mean), topic_count), sources)


def rate_by_topic(
    topics: Topics, table: VoteTable, right: Floats, plausible: float, priors: SourcePriors, *, coupled: bool = True
) -> TopicReliabilities:
    """The reliabilities of the sources of a table by topic, given the probability `right` (C,) of every class, the
    number of plausible wrong answers and the priors of the pairs of source and topic; `coupled` as in `beta_posterior`.
    """
    cells = topics.cells(table)
    votes = cells.source_votes
    luck = 1 / (1 + plausible)
    stated_right, stated = statements(cells, right, luck)
    expected, judged = stated_right + priors.right, stated + priors.total
    prior = fit_pooled_prior(expected, judged, topics.count)
    reliability = clip_reliability((prior.alpha + expected) / (prior.strength + judged))
    of_cells = beta_posterior(cells, right, reliability, prior, priors=priors, coupled=coupled, luck=luck)
    lower, upper = beta_interval(*of_cells)
    return TopicReliabilities(
        topics,
        reliability=_by_source(reliability, topics),
        weight=_by_source(log_odds(reliability) + np.log(plausible), topics),
        lower=_by_source(lower, topics),
        upper=_by_source(upper, topics),
        vote_count=_by_source(votes.astype(np.int64), topics),
    )


def rate_members(
    groups: TopicReliabilities | None, table: VoteTable, right: Floats, priors: SourcePriors | None
) -> TopicReliabilities | None:
    """The reliabilities of the members of copy groups, whose votes are in `table`, on the topics of their groups."""
    if groups is None:
        return None
    plausible = float(np.exp((groups.weight - log_odds(groups.reliability)).flat[0]))
    shared = (priors or SourcePriors.none(table.source_count)).shared(groups.topics.count)
    return rate_by_topic(groups.topics, table, right, plausible, shared, coupled=False)


def over_topics(by_topic: TopicReliabilities, prior: BetaPrior) -> tuple[Floats, Floats, Floats]:
    """Reliability (N,) of every source over all its votes, and the ends of its interval; without votes the prior's."""
    votes = by_topic.vote_count.sum(axis=1)
    share = by_topic.vote_count / np.maximum(votes, 1)[:, None]
    reliability = np.where(votes > 0, (share * by_topic.reliability).sum(axis=1), prior.mean)
    # The ends of a 90 % interval are 1.645 standard deviations from the mean, nearly.
    variance = (share**2 * ((by_topic.upper - by_topic.lower) / 3.29) ** 2).sum(axis=1)
    lower, upper = beta_interval(*beta_from_moments(reliability, np.maximum(variance, 1e-12)))
    ends = prior.interval()
    return reliability, np.where(votes > 0, lower, ends[0]), np.where(votes > 0, upper, ends[1])


def _by_source(pairs: NDArray[Scalar], topics: Topics) -> NDArray[Scalar]:
    """(N, G) of (G * N,)."""
    return read_only(np.ascontiguousarray(pairs.reshape(topics.count, -1).T))


def _strength(right: Floats, votes: Floats, mean: Floats) -> float:
    wrong = np.maximum(votes - right, 0.0)
    likelihood = [
        float((betaln(each * mean + right, each * (1 - mean) + wrong) - betaln(each * mean, each * (1 - mean))).sum())
        for each in _STRENGTHS
    ]
    return float(_STRENGTHS[int(np.argmax(likelihood))])
