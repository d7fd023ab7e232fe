"""The posterior of the one-coin model by sampling, for corpora small enough to have several plausible fits.

With few sources or few queries several interpretations of the votes are possible (which of four sources is right?), and
a best fit picks one. Particles start from the prior and take in the queries in growing batches, each time resampled by
how well they predicted the batch and moved by Gibbs steps (Chopin 2002, doi:10.1093/biomet/89.3.539); after that all of
them go on as chains. Every step is exact, so the intervals hold for small numbers too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy import sparse
from scipy.special import softmax

from estimator.arrays.readings import Statements, chance_right
from estimator.arrays.types import Flags, Floats
from estimator.arrays.vote_table import VoteTable
from estimator.methods.gold_start import mean_on_gold
from estimator.prior import CREDIBILITY, MOST_COUNTED, BetaPrior, draw_hyperprior, draw_priors, moment_matched
from estimator.result import WarmStart
from estimator.source_priors import SourcePriors
from estimator.weights import clip_reliability, log_odds
from estimator.wrong_answers import PartitionLikelihood, WrongAnswerMixture, WrongVotePartitions

_LARGEST: Final = 20_000
"""Answer classes, and sources, up to which sampling takes seconds at most."""
_CELLS: Final = 200_000
_CHAINS: Final = (12, 64)
_PARTICLES: Final = 16
"""Particles for each chain while the queries are few: with fewer, no particle may be near the likeliest fit."""
_FIRST_BATCH: Final = 8
_MOVES: Final = 2
_BURN_IN: Final = 15
_KEPT: Final = 40
_LEAST: Final = 0.9
"""Least reliability as a multiple of chance: a corpus worse than that is the mirror image of a better one, and the
votes cannot tell the two apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """S draws from the posterior; of a reliability, each draw is a Beta distribution."""

    right_votes: Floats
    """(N, S) first parameter of the Beta distributions."""
    wrong_votes: Floats
    """(N, S) the second."""
    right: Floats
    """(C,) probability of every class."""
    none_correct: Floats
    """(K,) probability that nobody is right."""
    error: Floats
    """(K,) two standard errors of the difference of two probabilities of which one falls as the other rises."""
    mixture: WrongAnswerMixture
    prior: BetaPrior
    r_hat: float
    """The largest R-hat of a reliability: spread over all chains against that within chains."""

    @property
    def reliability(self) -> Floats:
        """(N,) posterior means."""
        mean: Floats = (self.right_votes / (self.right_votes + self.wrong_votes)).mean(axis=1)
        return mean

    def interval(self, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Ends (N,) of the equal-tailed intervals."""
        drawn = random.beta(self.right_votes, self.wrong_votes)
        tail = (1 - CREDIBILITY) / 2
        lower, upper = np.quantile(drawn, [tail, 1 - tail], axis=1)
        return lower, upper


def is_small(table: VoteTable) -> bool:
    """Whether sampling takes seconds at most."""
    return 0 < _size(table) <= _LARGEST


def _size(table: VoteTable) -> int:
    """What every chain has numbers of: answer classes, or sources where these are more. 0 without votes."""
    return max(table.row.size, table.source_count) if table.row.size else 0


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """One Gibbs step of S chains: Beta parameters (N, S) of the reliabilities and (S,) of their prior, the probability
    (C, S) of every class, and (K,) of nobody being right on average over the chains.
    """

    right_votes: Floats
    wrong_votes: Floats
    prior: tuple[Floats, Floats]
    right: Floats
    none_correct: Floats


@dataclass(slots=True)
class _Chains:
    """S chains: reliabilities (N, S), and the queries they have taken in so far."""

    reliability: Floats
    random: np.random.Generator
    pseudo_right: Floats
    """(N, S) or (N, 1) pseudo-votes of the priors of sources that are right."""
    pseudo_wrong: Floats

    @property
    def rated(self) -> Flags:
        """(N,) whether a source has a prior of its own."""
        rated: Flags = np.any(self.pseudo_right + self.pseudo_wrong > 0, axis=1)
        return rated

    def step(self, table: VoteTable, likelihood: PartitionLikelihood) -> "_Step":
        """Draw which classes are right, then priors, then reliabilities."""
        right, none_correct, _ = _e_step(table, self.reliability, likelihood)
        drawn = _draw_classes(table, right, self.random)
        agreed, stated = self._draw_statements(table, drawn, likelihood.mixture.luck)
        counted = (table.source_votes <= MOST_COUNTED) & ~self.rated
        alpha, beta = draw_priors(self.reliability[~counted], agreed[counted], stated[counted], self.random)
        right_votes = alpha + agreed + self.pseudo_right
        wrong_votes = beta + stated - agreed + self.pseudo_wrong
        self.reliability = clip_reliability(self.random.beta(right_votes, wrong_votes))
        return _Step(right_votes, wrong_votes, (alpha, beta), right, none_correct.mean(axis=1))

    def _draw_statements(self, table: VoteTable, drawn: Floats, luck: float) -> tuple[Floats, Floats]:
        """Right statements (N, S) and all statements, (N, S) or (N, 1), given which classes (C, S) are right: the
        votes themselves, or of those that may be misread the ones that are drawn not to be.
        """
        agreed: Floats = table.incidence.T @ drawn
        if table.read is None:
            return agreed, table.source_votes[:, None]
        is_right = np.repeat(drawn, np.diff(table.class_start), axis=0)
        chance = Statements.of(table.read[:, None], self.reliability[table.source], luck)
        stated = self.random.random(is_right.shape) < np.where(is_right > 0, chance.if_right, chance.if_wrong)
        by_source = sparse.csr_array(
            (np.ones(table.source.size), (table.source, np.arange(table.source.size))),
            shape=(table.source_count, table.source.size),
        )
        return by_source @ (stated * is_right), by_source @ stated.astype(np.float64)

    def resample(self, log_evidence: Floats, count: int) -> None:
        """Systematic resampling to `count` chains: each present one about as often as its log evidence (S,) says."""
        points = (np.arange(count) + self.random.random()) / count
        chosen = np.searchsorted(np.cumsum(softmax(log_evidence)), points).clip(max=log_evidence.size - 1)
        self.reliability = self.reliability[:, chosen]
        if self.pseudo_right.shape[1] > 1:
            self.pseudo_right, self.pseudo_wrong = self.pseudo_right[:, :count], self.pseudo_wrong[:, :count]


def sample(
    table: VoteTable, best: WarmStart, random: np.random.Generator, priors: SourcePriors, most_chains: int = _CHAINS[1]
) -> Samples:
    """Draw from the posterior; `best` is the best fit, from which the mixture of wrong answers is fitted on."""
    count = min(int(np.clip(_CELLS // _size(table), *_CHAINS)), most_chains)
    chains = _start(table, best, count, random, priors)
    partitions = WrongVotePartitions.of(table)
    likelihood = partitions.likelihood(best.mixture)
    for _ in range(_BURN_IN):
        step = chains.step(table, likelihood)
        likelihood = partitions.refit(likelihood, np.concatenate([step.right.mean(axis=1), step.none_correct]))
    right, steps = np.zeros((table.row.size, count)), []
    for _ in range(_KEPT):
        step = chains.step(table, likelihood)
        right += step.right / _KEPT
        steps.append(replace(step, right=right))
    return _summary(table, steps, likelihood.mixture)


def _summary(table: VoteTable, steps: list[_Step], mixture: WrongAnswerMixture) -> Samples:
    alpha, beta = (np.concatenate([step.prior[side] for step in steps]) for side in range(2))
    even = np.full(alpha.size, 1 / alpha.size)
    right = steps[-1].right
    error = right.std(axis=1, ddof=1) / np.sqrt(right.shape[1])
    return Samples(
        right_votes=np.concatenate([step.right_votes for step in steps], axis=1),
        wrong_votes=np.concatenate([step.wrong_votes for step in steps], axis=1),
        right=right.mean(axis=1),
        none_correct=np.mean([step.none_correct for step in steps], axis=0),
        error=4 * np.maximum.reduceat(error, table.first_class),
        mixture=mixture,
        prior=moment_matched(alpha, beta, even),
        r_hat=_r_hat(np.stack([step.right_votes / (step.right_votes + step.wrong_votes) for step in steps])),
    )


def _start(table: VoteTable, best: WarmStart, count: int, random: np.random.Generator, priors: SourcePriors) -> _Chains:
    """Chains from the prior, led to the posterior batch by batch; from the best fit if none of them gets there.

    Half of them take in the priors of sources at the end only, so that many votes outweigh wrong ones.
    """
    votes, particles = table.source_votes, _PARTICLES * count
    alpha, beta = draw_hyperprior(particles, random)
    pseudo_right, pseudo_wrong = priors.right[:, None], priors.wrong[:, None]
    early = np.arange(particles) % 2 == 0
    early_right, early_wrong = pseudo_right * early, pseudo_wrong * early
    drawn = random.beta(alpha + early_right, beta + early_wrong)
    chains = _Chains(clip_reliability(drawn), random, early_right, early_wrong)
    chance = _LEAST / (1 + best.mixture.plausible)
    least = 0.0 if mean_on_gold(table) < chance else _LEAST
    for batch, so_far in _batches(table, random):
        log_evidence = _e_step(batch, chains.reliability, WrongVotePartitions.of(batch).likelihood(best.mixture))[2]
        mirrored = votes @ chains.reliability < least * votes.sum() / (1 + best.mixture.plausible)
        if mirrored.all():
            chains.reliability = np.tile(clip_reliability(best.reliability)[:, None], count)
            break
        is_last = so_far.row.size == table.row.size
        kept = count if is_last else int(np.clip(_CELLS // _size(so_far), count, particles))
        chains.resample(np.where(mirrored, -np.inf, log_evidence), kept)
        likelihood = WrongVotePartitions.of(so_far).likelihood(best.mixture)
        for _ in range(_MOVES):
            chains.step(so_far, likelihood)
    if priors.total.any():
        log_evidence = _e_step(table, chains.reliability, WrongVotePartitions.of(table).likelihood(best.mixture))[2]
        chains.resample(log_evidence + priors.log_likelihood(chains.reliability), count)
    chains.pseudo_right, chains.pseudo_wrong = pseudo_right, pseudo_wrong
    return chains


def _batches(table: VoteTable, random: np.random.Generator) -> Iterator[tuple[VoteTable, VoteTable]]:
    """New queries, and all so far, in random order but for those with gold, the first; each batch doubles them."""
    order = random.permutation(table.query.size)
    order = order[np.argsort(~table.has_gold[order], kind="stable")]
    begin, end = 0, max(_FIRST_BATCH, int(table.has_gold.sum()))
    while begin < order.size:
        yield table.take_rows(order[begin:end]), table.take_rows(order[:end])
        begin, end = end, 2 * end


def _e_step(table: VoteTable, reliability: Floats, likelihood: PartitionLikelihood) -> tuple[Floats, Floats, Floats]:
    """Probabilities of classes (C, S) and of nobody being right (K, S), and the log evidence (S,), for S chains."""
    classes = table.row.size
    right, of_wrong = _support(table, reliability, likelihood.mixture.luck)
    row = table.given_gold(likelihood.row)
    right += row[:classes, None]
    none_correct = row[classes:, None]
    top = np.maximum(np.maximum.reduceat(right, table.first_class, axis=0), none_correct)
    right -= top[table.row]
    np.exp(right, out=right)
    nobody_share = np.exp(none_correct - top)
    total = np.add.reduceat(right, table.first_class, axis=0) + nobody_share
    right /= total[table.row]
    log_evidence = (np.log(total) + top).sum(axis=0) + of_wrong
    return right, nobody_share / total, log_evidence


def _support(table: VoteTable, reliability: Floats, luck: float) -> tuple[Floats, Floats]:
    """Summed log odds (C, S) that the votes for a class are right, and the log evidence (S,) of all being wrong."""
    if table.read is None:
        return table.incidence @ log_odds(reliability), table.source_votes @ np.log1p(-reliability)
    chance = clip_reliability(chance_right(table.read[:, None], reliability[table.source], luck))
    return np.add.reduceat(log_odds(chance), table.class_start[:-1], axis=0), np.log1p(-chance).sum(axis=0)


def _draw_classes(table: VoteTable, right: Floats, random: np.random.Generator) -> Floats:
    """(C, S) 1 for one class of a query, or for none, drawn by its probability."""
    upper = np.cumsum(right, axis=0)
    before = (upper - right)[table.first_class]
    point = (before + random.random(before.shape))[table.row]
    drawn: Floats = ((upper - right <= point) & (point < upper)).astype(np.float64)
    return drawn


def _r_hat(means: Floats) -> float:
    """R-hat of (T, N, S) draws, the largest over N."""
    rounds = means.shape[0]
    within = means.var(axis=0, ddof=1).mean(axis=1)
    between = means.mean(axis=0).var(axis=1, ddof=1)
    return float(np.sqrt((rounds - 1) / rounds + between / np.maximum(within, 1e-12)).max(initial=1.0))
