"""Reliabilities of sources on topics, with a prior around the reliability of the source (hierarchical Bayes)."""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from scipy.special import betaln

from estimator.arrays.types import Floats, Integers, read_only
from estimator.arrays.vote_table import VoteTable
from estimator.intervals import beta_posterior
from estimator.prior import BetaPrior, beta_from_moments, beta_interval, fit_prior
from estimator.source_priors import SourcePriors
from estimator.topics.structure import Topics
from estimator.weights import clip_reliability, log_odds

# Candidates for the number of votes that a source's own reliability counts as much as, on a topic.
_STRENGTHS: Final = np.geomspace(1.0, 1000.0, 31)
# One number is fitted well enough to this many sources.
_SAMPLE: Final = 512


@dataclass(frozen=True, slots=True, eq=False)
class PooledPrior:
    """Beta distributions of the reliabilities of N sources on G topics, (G * N,) parameters each."""

    right: Floats
    wrong: Floats
    sources: BetaPrior
    """The distribution of the reliability of a source."""

    @property
    def mean(self) -> float:
        """Expected reliability of a new source."""
        return self.sources.mean

    @property
    def strength(self) -> Floats:
        """The number of votes that each counts as much as."""
        return self.right + self.wrong


@dataclass(frozen=True, slots=True, eq=False)
class TopicReliability:
    """Reliabilities of N sources on G topics; fields as in `Estimate`.

    >>> import numpy as np
    >>> from estimator import QueryTopics, estimate
    >>> from estimator.topics.synthetic import TopicScenario, draw_topics
    >>> sample = draw_topics(TopicScenario(), np.random.default_rng(0))
    >>> result = estimate(sample.votes, "bayes", topics=QueryTopics(given=sample.topic))
    >>> result.topics.reliability.shape
    (9, 2)
    """

    topics: Topics
    reliability: Floats
    """(N, G)"""
    weight: Floats
    """(N, G)"""
    lower: Floats
    """(N, G)"""
    upper: Floats
    """(N, G)"""
    vote_count: Integers
    """(N, G)"""

    @classmethod
    def of(
        cls,
        topics: Topics,
        table: VoteTable,
        right: Floats,
        plausible: float,
        priors: SourcePriors,
        *,
        coupled: bool = True,
    ) -> Self:
        """The reliabilities of the sources of a table, given the probability `right` (C,) of every class, the number of
        plausible wrong answers and the priors of the pairs of source and topic; `coupled` as in `beta_posterior`.
        """
        cells = topics.cells(table)
        votes = cells.source_votes
        expected, judged = cells.sum_by_source(right) + priors.right, votes + priors.total
        prior = fit_pooled_prior(expected, judged, topics.count)
        reliability = clip_reliability((prior.right + expected) / (prior.strength + judged))
        interval = beta_interval(*beta_posterior(cells, right, reliability, prior, priors=priors, coupled=coupled))
        weight = log_odds(reliability) + np.log(plausible)
        columns = reliability, weight, *interval, votes.astype(np.int64)
        return cls(topics, *(read_only(np.ascontiguousarray(pairs.reshape(topics.count, -1).T)) for pairs in columns))

    def of_members(self, table: VoteTable, right: Floats, priors: SourcePriors | None) -> Self:
        """The same topics for the members of copy groups, whose votes are in `table`."""
        plausible = float(np.exp((self.weight - log_odds(self.reliability)).flat[0]))
        shared = (priors or SourcePriors.none(table.source_count)).shared(self.topics.count)
        return type(self).of(self.topics, table, right, plausible, shared, coupled=False)

    def of_first(self, count: int) -> Self:
        """The first `count` of the sources."""
        return replace(
            self,
            reliability=read_only(self.reliability[:count].copy()),
            weight=read_only(self.weight[:count].copy()),
            lower=read_only(self.lower[:count].copy()),
            upper=read_only(self.upper[:count].copy()),
            vote_count=read_only(self.vote_count[:count].copy()),
        )

    def by_source(self, prior: BetaPrior) -> tuple[Floats, Floats, Floats]:
        """Reliability (N,) of every source over all its votes, and the ends of its interval; that of the prior without
        votes.
        """
        votes = self.vote_count.sum(axis=1)
        share = self.vote_count / np.maximum(votes, 1)[:, None]
        reliability = np.where(votes > 0, (share * self.reliability).sum(axis=1), prior.mean)
        # The ends of a 90 % interval are 1.645 standard deviations from the mean, nearly.
        variance = (share**2 * ((self.upper - self.lower) / 3.29) ** 2).sum(axis=1)
        lower, upper = beta_interval(*beta_from_moments(reliability, np.maximum(variance, 1e-12)))
        ends = prior.interval()
        return reliability, np.where(votes > 0, lower, ends[0]), np.where(votes > 0, upper, ends[1])


def fit_pooled_prior(right: Floats, votes: Floats, topic_count: int) -> PooledPrior:
    """The priors of all pairs of source and topic, (G * N,), around the share of right votes of each source over all
    topics; their common strength is the most likely one (beta-binomial).
    """
    by_topic, votes_by_topic = right.reshape(topic_count, -1), votes.reshape(topic_count, -1)
    total, judged = by_topic.sum(axis=0), votes_by_topic.sum(axis=0)
    sources = fit_prior(total, judged)
    mean = (sources.right + total) / (sources.strength + judged)
    sample = np.flatnonzero(judged > 0)
    sample = sample[:: max(1, sample.size // _SAMPLE)]
    strength = _strength(by_topic[:, sample], votes_by_topic[:, sample], mean[sample])
    return PooledPrior(np.tile(strength * mean, topic_count), np.tile(strength * (1 - mean), topic_count), sources)


def _strength(right: Floats, votes: Floats, mean: Floats) -> float:
    wrong = np.maximum(votes - right, 0.0)
    likelihood = [
        float((betaln(each * mean + right, each * (1 - mean) + wrong) - betaln(each * mean, each * (1 - mean))).sum())
        for each in _STRENGTHS
    ]
    return float(_STRENGTHS[int(np.argmax(likelihood))])
