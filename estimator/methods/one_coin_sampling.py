"""The posterior of the one-coin model by sampling, for corpora small enough to be unsure of in more than one way.

With few sources or few queries several readings of the votes are possible (who of four is the one to trust?), and a
single best fit picks one. Particles start from the prior and take in the queries in growing batches, each time
resampled by how well they foretold the batch and moved by Gibbs steps (Chopin 2002); after that all of them go on as
chains. Every step is exact, so that the intervals need no large numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from estimator import prior
from estimator.arrays.vote_table import Ballot
from estimator.methods.one_coin import OneCoin, State, log_odds
from estimator.methods.wrong_answers import Mixture, Partitions
from estimator.prior import BetaPrior

Floats = NDArray[np.float64]

_LARGEST: Final = 20_000
"""Classes up to which sampling takes seconds at most."""
_CELLS: Final = 200_000
_CHAINS: Final = (12, 64)
_FIRST_BATCH: Final = 8
_MOVES: Final = 2
_BURN_IN: Final = 15
_KEPT: Final = 40
_EDGE: Final = 1e-6
_LEAST: Final = 0.9
"""Of chance: a corpus worse than it is the mirror image of one that is better, and cannot be told from it."""


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """What the chains agree on. S draws of the posterior of every source, itself a Beta distribution each."""

    right_votes: Floats
    """(N, S) first parameter of the Beta distributions."""
    wrong_votes: Floats
    """(N, S) the second."""
    right: Floats
    """(C,) probability of every class."""
    nobody: Floats
    """(K,) probability that nobody is right."""
    error: Floats
    """(K,) two standard errors of the difference of two probabilities that go up and down against each other."""
    mixture: Mixture
    prior: BetaPrior
    between: float
    """The largest ratio of a reliability's spread over all chains to that within chains (R-hat)."""

    @property
    def reliability(self) -> Floats:
        """(N,) posterior means."""
        mean: Floats = (self.right_votes / (self.right_votes + self.wrong_votes)).mean(axis=1)
        return mean

    def interval(self, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Ends (N,) of the equal-tailed interval."""
        drawn = random.beta(self.right_votes, self.wrong_votes)
        tail = (1 - prior.CREDIBILITY) / 2
        lower, upper = np.quantile(drawn, [tail, 1 - tail], axis=1)
        return lower, upper


def is_small(ballot: Ballot) -> bool:
    """Whether sampling is worth its time."""
    return 0 < ballot.row.size <= _LARGEST


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """One step of S chains: Beta parameters (N, S) of the reliabilities and (S,) of their prior, and what is right:
    (C, S) for the classes, and (K,) for nobody, on average over the chains.
    """

    right_votes: Floats
    wrong_votes: Floats
    prior: tuple[Floats, Floats]
    right: Floats
    nobody: Floats


@dataclass(slots=True)
class _Chains:
    """S chains: reliabilities (N, S), and the queries they have taken in so far."""

    reliability: Floats
    random: np.random.Generator

    def step(self, model: OneCoin, partitions: Partitions) -> "_Step":
        """Draw who is right, then priors, then reliabilities."""
        right, nobody, _ = _verdicts(model.ballot, self.reliability, partitions)
        elected = _draw_classes(model.ballot, right, self.random)
        agreed = model.ballot.incidence.T @ elected
        believed_right, believed_wrong = prior.draw_priors(self.reliability, self.random)
        right_votes = believed_right + agreed
        wrong_votes = believed_wrong + model.ballot.turnout[:, None] - agreed
        self.reliability = _inside(self.random.beta(right_votes, wrong_votes))
        return _Step(right_votes, wrong_votes, (believed_right, believed_wrong), right, nobody.mean(axis=1))

    def resample(self, evidence: Floats) -> None:
        """Keep each chain about as often as its log evidence (S,) says."""
        share = np.exp(evidence - evidence.max())
        places = (np.arange(share.size) + self.random.random()) / share.size
        chosen = np.searchsorted(np.cumsum(share / share.sum()), places).clip(max=share.size - 1)
        self.reliability = self.reliability[:, chosen]


def sample(model: OneCoin, best: State, random: np.random.Generator) -> Sampled:
    """Draw from the posterior; `best` is the best fit, from which the wrong answers start and are fitted on."""
    ballot = model.ballot
    count = int(np.clip(_CELLS // ballot.row.size, *_CHAINS))
    chains = _start(model, best, count, random)
    partitions = model.wrong.given(best.mixture)
    for _ in range(_BURN_IN):
        now = chains.step(model, partitions)
        shares = np.concatenate([now.right.mean(axis=1), now.nobody])
        partitions = model.wrong.given(model.wrong.fitted(partitions, shares))
    right, steps = np.zeros((ballot.row.size, count)), []
    for _ in range(_KEPT):
        now = chains.step(model, partitions)
        right += now.right / _KEPT
        steps.append(replace(now, right=right))
    return _summary(ballot, steps, partitions.mixture)


def _summary(ballot: Ballot, steps: list[_Step], mixture: Mixture) -> Sampled:
    believed_right, believed_wrong = (np.concatenate([step.prior[place] for step in steps]) for place in range(2))
    even = np.full(believed_right.size, 1 / believed_right.size)
    right = steps[-1].right
    error = right.std(axis=1, ddof=1) / np.sqrt(right.shape[1])
    return Sampled(
        right_votes=np.concatenate([step.right_votes for step in steps], axis=1),
        wrong_votes=np.concatenate([step.wrong_votes for step in steps], axis=1),
        right=right.mean(axis=1),
        nobody=np.mean([step.nobody for step in steps], axis=0),
        error=4 * np.maximum.reduceat(error, ballot.first),
        mixture=mixture,
        prior=prior.mixed(believed_right, believed_wrong, even),
        between=_between(np.stack([step.right_votes / (step.right_votes + step.wrong_votes) for step in steps])),
    )


def _start(model: OneCoin, best: State, count: int, random: np.random.Generator) -> _Chains:
    """Chains from the prior, led to the posterior batch by batch; from the best fit if none of them gets there."""
    turnout = model.ballot.turnout
    believed = prior.draw_hyperprior(count, random)
    chains = _Chains(_inside(random.beta(*believed, size=(turnout.size, count))), random)
    for batch, so_far in _batches(model.ballot, random):
        fresh = OneCoin.of(batch)
        evidence = _verdicts(batch, chains.reliability, fresh.wrong.given(best.mixture))[2]
        mirrored = turnout @ chains.reliability < _LEAST * turnout.sum() / (1 + best.mixture.plausible)
        if mirrored.all():
            return _Chains(np.tile(_inside(best.reliability)[:, None], count), random)
        chains.resample(np.where(mirrored, -np.inf, evidence))
        known = OneCoin.of(so_far)
        partitions = known.wrong.given(best.mixture)
        for _ in range(_MOVES):
            chains.step(known, partitions)
    return chains


def _batches(ballot: Ballot, random: np.random.Generator) -> Iterator[tuple[Ballot, Ballot]]:
    """New queries, and all queries so far, in random order; each batch doubles what is known."""
    order = random.permutation(ballot.query.size)
    begin, end = 0, _FIRST_BATCH
    while begin < order.size:
        yield ballot.of_rows(order[begin:end]), ballot.of_rows(order[:end])
        begin, end = end, 2 * end


def _verdicts(ballot: Ballot, reliability: Floats, partitions: Partitions) -> tuple[Floats, Floats, Floats]:
    """Probabilities of classes (C, S) and of nobody (K, S), and the log evidence (S,), for S chains."""
    classes = ballot.row.size
    right = ballot.incidence @ log_odds(reliability)
    right += partitions.row[:classes, None]
    nobody = partitions.row[classes:, None]
    top = np.maximum(np.maximum.reduceat(right, ballot.first, axis=0), nobody)
    right -= top[ballot.row]
    np.exp(right, out=right)
    none = np.exp(nobody - top)
    total = np.add.reduceat(right, ballot.first, axis=0) + none
    right /= total[ballot.row]
    evidence = (np.log(total) + top).sum(axis=0) + ballot.turnout @ np.log1p(-reliability)
    return right, none / total, evidence


def _draw_classes(ballot: Ballot, right: Floats, random: np.random.Generator) -> Floats:
    """(C, S) 1 for one class of a query, or for none, drawn by its probability."""
    upto = np.cumsum(right, axis=0)
    before = (upto - right)[ballot.first]
    point = (before + random.random(before.shape))[ballot.row]
    drawn: Floats = ((upto - right <= point) & (point < upto)).astype(np.float64)
    return drawn


def _between(means: Floats) -> float:
    """R-hat of (T, N, S) draws, the largest over N."""
    rounds = means.shape[0]
    within = means.var(axis=0, ddof=1).mean(axis=1)
    between = means.mean(axis=0).var(axis=1, ddof=1)
    return float(np.sqrt((rounds - 1) / rounds + between / np.maximum(within, 1e-12)).max(initial=1.0))


def _inside(reliability: Floats) -> Floats:
    return np.clip(reliability, _EDGE, 1 - _EDGE)
