"""The one-coin model: a source is right with its reliability, else it gives one of the plausible wrong answers.

Dawid & Skene 1979 with one parameter a source, for open answer sets (`wrong_answers`), with a Beta prior fitted to
the corpus (`prior`) and with the chance that nobody gave the right answer. What a vote is judged by is a probability
that counts the vote itself only as much as the model says, and so favours nobody's own vote.
"""

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from estimator import prior
from estimator.arrays.blocks import Block
from estimator.arrays.vote_table import Ballot
from estimator.fixed_point import Limits
from estimator.methods.wrong_answers import Mixture, Partitions, WrongAnswers
from estimator.policies import StopReason
from estimator.prior import BetaPrior

Floats = NDArray[np.float64]

# Where nothing is known yet, votes start out as better than nothing: the mirror image of the truth fits as well.
_START = 0.7
_EDGE = 1e-6
# A hundredth of the standard error of a share of n votes is standing still.
_STILL = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Where a run ended, and a later one with more votes may start."""

    reliability: Floats
    """(N,), NaN for a source that was not there."""
    mixture: Mixture = field(default_factory=Mixture.flat)
    newcomer: float = _START
    """Where sources that were not there start: the mean of the prior."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What is right, given reliabilities: probabilities of C classes, and of K times nobody being right."""

    right: Floats
    nobody: Floats
    log_evidence: float


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The end of an expectation maximisation."""

    state: State
    prior: BetaPrior
    verdict: Verdict
    rounds: int
    stop_reason: StopReason


@dataclass(frozen=True, slots=True, eq=False)
class OneCoin:
    """The votes as the model sees them."""

    ballot: Ballot
    wrong: WrongAnswers

    @classmethod
    def of(cls, ballot: Ballot) -> Self:
        """Lay out."""
        return cls(ballot, WrongAnswers.of(ballot))

    def verdict(self, reliability: Floats, partitions: Partitions) -> Verdict:
        """What is right: for class a `prod_(i for a) w_i prod_(others) (1 - w_i)` times the chance of the others'
        partition, up to what all classes of a query share.
        """
        ballot, odds = self.ballot, log_odds(reliability)
        right, nobody = np.empty(ballot.class_count), partitions.row[ballot.class_count :].copy()
        log_total = np.empty(nobody.size)
        for block in ballot.blocks:
            share = right[block.classes]
            share[:] = block.incidence @ odds
            share += partitions.row[block.classes]
            log_total[block.rows] = _normalise(share, nobody[block.rows], block)
        constant = float(ballot.turnout @ np.log1p(-_inside(reliability)))
        return Verdict(right, nobody, constant + float(log_total.sum()))

    def fit(self, limits: Limits, start: State | None = None) -> Fit:
        """Expectation maximisation, the prior and the wrong answers being fitted anew in rounds 1, 2, 4, 8 and so on,
        and whenever the reliabilities stand still.
        """
        still = np.maximum(limits.tolerance, _STILL * 0.5 / np.sqrt(1 + self.ballot.turnout))
        state = start or State(np.full(self.ballot.turnout.size, _START))
        reliability, partitions = state.reliability, self.wrong.given(state.mixture)
        belief, rests = BetaPrior(1.0, 1.0), False
        for rounds in range(1, limits.max_rounds + 1):
            verdict = self.verdict(reliability, partitions)
            right = self.ballot.sums(verdict.right)
            refit = rests or rounds & (rounds - 1) == 0
            if refit:
                belief = prior.fit(right, self.ballot.turnout)
                shares = np.concatenate([verdict.right, verdict.nobody])
                partitions = self.wrong.given(self.wrong.fitted(partitions, shares))
            previous, reliability = reliability, (belief.right + right) / (belief.strength + self.ballot.turnout)
            rests = bool((np.abs(reliability - previous) <= still).all())
            if rests and refit and rounds > 1:
                return self._end(reliability, partitions, belief, rounds, StopReason.CONVERGED)
        return self._end(reliability, partitions, belief, limits.max_rounds, StopReason.ROUND_LIMIT)

    def _end(
        self, reliability: Floats, partitions: Partitions, belief: BetaPrior, rounds: int, reason: StopReason
    ) -> Fit:
        verdict = self.verdict(reliability, partitions)
        return Fit(State(reliability, partitions.mixture, belief.mean), belief, verdict, rounds, reason)


def _normalise(right: Floats, nobody: Floats, block: Block) -> Floats:
    """Turn log probabilities of classes and of nobody being right into shares, in place; (k,) logs of their sums."""
    first, size = block.ladder.first, block.ladder.size
    top = np.maximum(np.maximum.reduceat(right, first), nobody)
    right -= np.repeat(top, size)
    np.exp(right, out=right)
    nobody -= top
    np.exp(nobody, out=nobody)
    total = np.add.reduceat(right, first) + nobody
    right /= np.repeat(total, size)
    nobody /= total
    log_total: Floats = np.log(total) + top
    return log_total


def log_odds(reliability: Floats) -> Floats:
    """`log(w / (1 - w))`, finite."""
    inside = _inside(reliability)
    odds: Floats = np.log(inside) - np.log1p(-inside)
    return odds


def _inside(reliability: Floats) -> Floats:
    return np.clip(reliability, _EDGE, 1 - _EDGE)
