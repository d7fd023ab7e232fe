"""The Beta prior of a corpus, fitted to all its sources (empirical Bayes), and credible intervals under it."""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from scipy.special import betaincinv, betaln, gammaln, softmax

from estimator.arrays.sorting import unique_inverse
from estimator.arrays.types import Floats

CREDIBILITY: Final = 0.9
"""Probability mass of every interval, with as much below it as above."""

# The candidate priors, by mean and by strength in votes. The hyperprior favours higher means, which tells the truth
# from its mirror image, and strengths of a few votes, so that sources differ until votes say that they do not.
_MEANS: Final = np.linspace(0.025, 0.975, 39)
_STRENGTHS: Final = np.geomspace(0.5, 200.0, 25)
_ALPHA: Final[Floats] = np.outer(_MEANS, _STRENGTHS).ravel()
_BETA: Final[Floats] = np.outer(1 - _MEANS, _STRENGTHS).ravel()
_EXPONENTS: Final[Floats] = np.stack((_ALPHA - 1, _BETA - 1))
_LOG_MEAN: Final = np.log(_MEANS) + 0.5 * np.log1p(-_MEANS)
_LOG_STRENGTH: Final = -0.5 * (np.log(_STRENGTHS / 4) / 1.2) ** 2
_LOG_HYPERPRIOR: Final[Floats] = np.add.outer(_LOG_MEAN, _LOG_STRENGTH).ravel()
_NORMALISER: Final[Floats] = betaln(_ALPHA, _BETA)

# Two numbers are fitted well enough to this many sources.
_SAMPLE: Final = 512

MOST_COUNTED: Final = 64
"""Votes of a source up to which a prior can be drawn from their counts."""


@dataclass(frozen=True, slots=True)
class BetaPrior:
    """Beta(alpha, beta): the distribution of the reliability of a source that has not voted, in pseudo-votes.

    >>> prior = BetaPrior(6, 4)
    >>> prior.mean, prior.strength
    (0.6, 10)
    >>> [round(end, 3) for end in prior.interval()]
    [0.345, 0.831]
    """

    alpha: float
    beta: float

    @property
    def mean(self) -> float:
        """Expected reliability of a new source."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def strength(self) -> float:
        """The number of votes that the prior counts as much as."""
        return self.alpha + self.beta

    def interval(self) -> tuple[float, float]:
        """The 90 % credible interval of a source that has not voted."""
        lower, upper = beta_interval(np.array([self.alpha]), np.array([self.beta]))
        return float(lower[0]), float(upper[0])

    def posterior_interval(self, right: Floats, judged: Floats) -> tuple[Floats, Floats]:
        """Ends (N,) of the intervals of sources with `right` (N,) of `judged` (N,) votes right, both whole numbers."""
        base = int(judged.max(initial=0.0)) + 1
        pairs, inverse = unique_inverse((judged * base + right).astype(np.int64), base * base)  # many counts are equal
        votes, agreed = np.divmod(pairs, base)
        lower, upper = beta_interval(self.alpha + agreed, self.beta + (votes - agreed))
        return lower[inverse], upper[inverse]


def beta_interval(alpha: Floats, beta: Floats) -> tuple[Floats, Floats]:
    """Ends of the equal-tailed interval of Beta(alpha, beta), elementwise."""
    tail = (1 - CREDIBILITY) / 2
    lower: Floats = betaincinv(alpha, beta, tail)
    upper: Floats = betaincinv(alpha, beta, 1 - tail)
    return lower, upper


def beta_from_moments(mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """The two parameters of the Beta distribution of this mean and variance, elementwise."""
    strength = np.maximum(mean * (1 - mean) / np.maximum(variance, 1e-300) - 1, 1e-3)
    return mean * strength, (1 - mean) * strength


def fit_prior(right: Floats, judged: Floats) -> BetaPrior:
    """The prior of the sources with `right` (N,) of `judged` (N,) votes right, both perhaps expectations.

    Candidate priors on a fixed grid are weighted by their posterior probability (beta-binomial likelihood times
    hyperprior); the result is the Beta distribution with the mean and variance of that mixture.
    """
    sample = np.flatnonzero(judged > 0)
    sample = sample[:: max(1, sample.size // _SAMPLE)]
    return moment_matched(_ALPHA, _BETA, softmax(_log_likelihood(right[sample], judged[sample]) + _LOG_HYPERPRIOR))


def moment_matched(alpha: Floats, beta: Floats, share: Floats) -> BetaPrior:
    """The Beta prior with the mean and variance of a mixture of Beta distributions with these parameters and shares."""
    means = alpha / (alpha + beta)
    mean = share @ means
    variance = share @ (means * (1 - means) / (alpha + beta + 1) + (means - mean) ** 2)
    return BetaPrior(*map(float, beta_from_moments(mean, variance)))


def _log_likelihood(right: Floats, judged: Floats) -> Floats:
    """Beta-binomial log-likelihood of every candidate prior, for `right` (N,) of `judged` (N,) votes right."""
    wrong = np.maximum(judged - right, 0.0)
    counts = _log_gammas(_ALPHA, right) + _log_gammas(_BETA, wrong)
    likelihood: Floats = counts - np.tile(_log_gammas(_STRENGTHS, judged), _MEANS.size) - right.size * _NORMALISER
    return likelihood


def _log_gammas(prior_votes: Floats, votes: Floats) -> Floats:
    """(P,) the sum over N sources of `log Gamma(prior votes + votes)`."""
    counts, inverse = np.unique(votes, return_inverse=True)  # many sources have the same count
    total: Floats = np.take(gammaln(np.add.outer(prior_votes, counts)), inverse, axis=1).sum(axis=1)
    return total


def draw_priors(
    reliability: Floats, right: Floats, judged: Floats, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Parameters (S,) of S priors, drawn from their posteriors given the reliabilities (N, S) of sources and the counts
    of right votes (L, S) among all votes, (L, S) or (L,), of others, at most `MOST_COUNTED` each.

    Given counts, the reliabilities are integrated out: many sources with few votes determine their reliabilities by the
    prior, and the prior by these, so that drawing the two in turn would hardly move either.
    """
    judged = judged if judged.ndim == 2 else judged[:, None]
    sums = np.stack((np.log(reliability).sum(axis=0), np.log1p(-reliability).sum(axis=0)), axis=1)
    density = sums @ _EXPONENTS
    density += _LOG_HYPERPRIOR - reliability.shape[0] * _NORMALISER
    bins = int(judged.max(initial=0)) + 1
    of_right, of_wrong, of_all = (factorials[:bins] for factorials in _rising_factorials())
    density += _histograms(right, bins) @ of_right + _histograms(judged - right, bins) @ of_wrong
    density -= _histograms(judged, bins) @ of_all
    density -= density.max(axis=1, keepdims=True)
    np.exp(density, out=density)
    cumulative = np.cumsum(density, axis=1, out=density)
    threshold = random.random(len(sums)) * cumulative[:, -1]
    drawn = np.count_nonzero(cumulative < threshold[:, None], axis=1)
    return _ALPHA[drawn], _BETA[drawn]


@cache
def _rising_factorials() -> tuple[Floats, Floats, Floats]:
    """(MOST_COUNTED + 1, P) each: `log Gamma(prior votes + n) - log Gamma(prior votes)` of right, wrong, all votes."""
    counts = np.arange(MOST_COUNTED + 1)
    right, wrong, total = (
        gammaln(np.add.outer(counts, votes)) - gammaln(votes) for votes in (_ALPHA, _BETA, _ALPHA + _BETA)
    )
    return right, wrong, total


def _histograms(counts: Floats, bins: int) -> Floats:
    """(S, bins) how often each number of votes, below `bins`, is among the columns of `counts` (L, S)."""
    columns = counts.shape[1]
    places = counts.astype(np.int64) + bins * np.arange(columns)
    return np.bincount(places.ravel(), minlength=bins * columns).reshape(columns, bins).astype(np.float64)


def draw_hyperprior(count: int, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Parameters (count,) of priors drawn from the hyperprior."""
    drawn = random.choice(_ALPHA.size, size=count, p=softmax(_LOG_HYPERPRIOR))
    return _ALPHA[drawn], _BETA[drawn]
