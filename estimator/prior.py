"""What the corpus as a whole says about a source: a Beta prior fitted to all of them, and intervals that lean on it."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, betaln, gammaln

from estimator.arrays.sorting import distinct

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CREDIBILITY: Final = 0.9
"""Probability mass of every interval, with as much below it as above."""

# The candidate priors, by mean and by strength in votes. Their own prior: a corpus is somewhat more often right than
# wrong, which is what tells truth from its mirror image, and sources differ rather than not, which nothing but votes
# may contradict.
_MEANS: Final = np.linspace(0.025, 0.975, 39)
_STRENGTHS: Final = np.geomspace(0.5, 200.0, 25)
_RIGHT: Final[Floats] = np.outer(_MEANS, _STRENGTHS).ravel()
_WRONG: Final[Floats] = np.outer(1 - _MEANS, _STRENGTHS).ravel()
_ABOUT_THE_MEAN: Final = np.log(_MEANS) + 0.5 * np.log1p(-_MEANS)
_ABOUT_THE_STRENGTH: Final = -0.5 * (np.log(_STRENGTHS / 4) / 1.2) ** 2
_HYPERPRIOR: Final[Floats] = np.add.outer(_ABOUT_THE_MEAN, _ABOUT_THE_STRENGTH).ravel()
_NORMALISER: Final[Floats] = betaln(_RIGHT, _WRONG)

# More sources than this add nothing to two numbers but time.
_SAMPLE: Final = 512


@dataclass(frozen=True, slots=True)
class BetaPrior:
    """Beta(right, wrong): what is believed of a source before it has voted, in pseudo-votes."""

    right: float
    wrong: float

    @property
    def mean(self) -> float:
        """The reliability at which a new source starts."""
        return self.right / (self.right + self.wrong)

    @property
    def strength(self) -> float:
        """How many votes the prior counts as much as."""
        return self.right + self.wrong

    def interval(self) -> tuple[float, float]:
        """The interval of a source that has not voted."""
        lower, upper = beta_interval(np.array([self.right]), np.array([self.wrong]))
        return float(lower[0]), float(upper[0])

    def posterior_interval(self, right: Floats, judged: Floats) -> tuple[Floats, Floats]:
        """Ends (N,) of the interval of sources right in `right` (N,) of `judged` (N,) votes, both whole numbers."""
        room = int(judged.max(initial=0.0)) + 1
        pairs, place = distinct((judged * room + right).astype(np.int64), room * room)  # many have the same counts
        votes, agreed = np.divmod(pairs, room)
        lower, upper = beta_interval(self.right + agreed, self.wrong + (votes - agreed))
        return lower[place], upper[place]


def beta_interval(right: Floats, wrong: Floats) -> tuple[Floats, Floats]:
    """Ends of the equal-tailed interval of Beta(right, wrong), elementwise."""
    tail = (1 - CREDIBILITY) / 2
    lower: Floats = betaincinv(right, wrong, tail)
    upper: Floats = betaincinv(right, wrong, 1 - tail)
    return lower, upper


def beta_of(mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """The Beta distribution of this mean and variance, as its two parameters, elementwise."""
    strength = np.maximum(mean * (1 - mean) / np.maximum(variance, 1e-300) - 1, 1e-3)
    return mean * strength, (1 - mean) * strength


def fit(right: Floats, judged: Floats) -> BetaPrior:
    """What (N,) right votes of (N,) judged ones, or their expectations, say of the next source: the beta-binomial
    priors of a fixed grid, weighed by their evidence, and the Beta distribution that has mean and variance of the lot.
    """
    told = np.flatnonzero(judged > 0)
    told = told[:: max(1, told.size // _SAMPLE)]
    likelihood = _log_likelihood(right[told], judged[told]) + _HYPERPRIOR
    share = np.exp(likelihood - likelihood.max())
    share /= share.sum()
    return mixed(_RIGHT, _WRONG, share)


def mixed(right: Floats, wrong: Floats, share: Floats) -> BetaPrior:
    """The prior of mean and variance of a mixture of priors with these parameters and shares, all of one length."""
    means = right / (right + wrong)
    mean = share @ means
    variance = share @ (means * (1 - means) / (right + wrong + 1) + (means - mean) ** 2)
    right_votes, wrong_votes = beta_of(mean, variance)
    return BetaPrior(float(right_votes), float(wrong_votes))


def _log_likelihood(right: Floats, judged: Floats) -> Floats:
    """Of every candidate prior, for (N,) right of (N,) judged votes."""
    wrong = np.maximum(judged - right, 0.0)
    each = _log_gammas(_RIGHT, right) + _log_gammas(_WRONG, wrong)
    likelihood: Floats = each - np.tile(_log_gammas(_STRENGTHS, judged), _MEANS.size) - right.size * _NORMALISER
    return likelihood


def _log_gammas(prior_votes: Floats, votes: Floats) -> Floats:
    """(P,) the sum over N sources of `log Gamma(prior votes + votes)`."""
    counts, place = np.unique(votes, return_inverse=True)  # sources with few votes share counts
    total: Floats = np.take(gammaln(np.add.outer(prior_votes, counts)), place, axis=1).sum(axis=1)
    return total


def draw_priors(reliability: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
    """One prior for each of S columns of reliabilities (N, S), drawn from what they say: its two parameters (S,)."""
    count = reliability.shape[0]
    likelihood = np.outer(_RIGHT - 1, np.log(reliability).sum(axis=0))
    likelihood += np.outer(_WRONG - 1, np.log1p(-reliability).sum(axis=0))
    likelihood += (_HYPERPRIOR - count * _NORMALISER)[:, None]
    drawn = np.argmax(likelihood + random.gumbel(size=likelihood.shape), axis=0)
    return _RIGHT[drawn], _WRONG[drawn]


def draw_hyperprior(count: int, random: np.random.Generator) -> tuple[Floats, Floats]:
    """`count` priors as they are before any vote: their two parameters."""
    share = np.exp(_HYPERPRIOR)
    drawn = random.choice(_RIGHT.size, size=count, p=share / share.sum())
    return _RIGHT[drawn], _WRONG[drawn]
