"""Queries with several true answers, as the authors of a book: each source has a sensitivity and a specificity.

The latent truth model of Zhao et al. 2012 (PVLDB 5:6, section 4, arXiv:1203.0058). Each answer that some source gives
to a query is true or false by itself. A source that says anything on a query gives each true answer with its
sensitivity, and each false one with its rate of false positives, 1 - specificity; a source that says nothing on a query
tells nothing.
The paper samples; this is expectation and maximisation of the same model, with Beta priors.

>>> votes = [0, 0, 0, 0, 0], [0, 0, 1, 2, 2], [5, 6, 5, 5, 6]
>>> found = estimate_several(*votes, query_count=1, source_count=3)
>>> found.answer.tolist(), (found.probability > 0.5).tolist()
([5, 6], [True, True])
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from estimator.arrays.types import Floats, Integers, read_only
from estimator.arrays.vote_table import integers, largest, parallel
from estimator.errors import EstimatorError

_TOLERANCE: Final = 1e-6


class _Prior(NamedTuple):
    """Pseudo-counts of a Beta distribution: of what is asked for, and of the rest."""

    hits: float
    misses: float

    def posterior_mean(self, hits: Floats, trials: Floats, strength: float) -> Floats:
        """(N,) with these counts (N,) added to the prior."""
        return np.asarray((hits + strength * self.hits) / (trials + strength * (self.hits + self.misses)))

    @property
    def mean(self) -> float:
        return self.hits / (self.hits + self.misses)


# Few false positives, unknown sensitivities, truth at a half. On authors of books half and double the strength of the
# first two move F1 by at most 0.003 (benchmarks/several.py).
_SENSITIVITY: Final = _Prior(50.0, 50.0)
_FALSE_POSITIVES: Final = _Prior(10.0, 1000.0)
_TRUTH: Final = _Prior(10.0, 10.0)


@dataclass(frozen=True, slots=True, eq=False)
class SeveralAnswers:
    """The F different answers to M queries, in the order of queries and answers, and what N sources are like.

    >>> estimate_several([0, 0], [0, 1], [7, 7], query_count=1, source_count=2).answer.tolist()
    [7]
    """

    query: Integers
    """(F,)"""
    answer: Integers
    """(F,) ids of the answers."""
    probability: Floats
    """(F,) that it is true, whatever else is."""
    sensitivity: Floats
    """(N,) share of the true answers that a source gives, of queries on which it says anything."""
    specificity: Floats
    """(N,) share of the false answers, that others give, which it does not give."""
    precision: Floats
    """(N,) share of the answers that a source gives which are true; NaN for one that gives none."""
    rounds: int
    """Number of rounds; 0 where the rates were known."""


def estimate_several(
    query: ArrayLike,
    source: ArrayLike,
    answer: ArrayLike,
    *,
    query_count: int,
    source_count: int,
    prior_strength: float = 1.0,
    max_rounds: int = 100,
) -> SeveralAnswers:
    """Estimate which answers are true from three parallel (V,) columns of ids: a row for each answer of a source to a
    query, of which it may give several.

    A row that is repeated counts once. `prior_strength` is how often the pseudo-counts of the priors of sources count.
    Rounds stop after `max_rounds`, or when no probability moves by more than a millionth. Raises EstimatorError for ids
    out of range, columns of different lengths, and a strength that is not above 0.

    >>> found = estimate_several([0, 0, 0], [0, 0, 1], [7, 8, 7], query_count=1, source_count=2)
    >>> found.answer.tolist(), bool(found.probability[0] > found.probability[1])
    ([7, 8], True)
    """
    if not prior_strength > 0:
        raise EstimatorError(f"prior_strength is {prior_strength}; it has to be above 0")
    claims = _Claims.of(query, source, answer, query_count, source_count)
    # As in a vote: what more of those who say anything on a query give is more probable.
    probability, rounds = claims.support, 0
    while True:
        rates = claims.rates(probability, prior_strength)
        moved, probability = probability, claims.probabilities(*rates)
        rounds += 1
        if rounds >= max_rounds or np.abs(moved - probability).max(initial=0.0) <= _TOLERANCE:
            return claims.answers(probability, *rates, rounds)


def judge_several(
    query: ArrayLike,
    source: ArrayLike,
    answer: ArrayLike,
    sensitivity: ArrayLike,
    specificity: ArrayLike,
    *,
    query_count: int,
) -> SeveralAnswers:
    """Judge answers as `estimate_several` does, by sensitivities and specificities (N,) that are known, as from an
    earlier estimate; NaN stands for the mean of the prior. Raises EstimatorError for others that are not between 0 and
    1, and as `estimate_several` does.

    >>> found = judge_several([0, 0], [0, 1], [7, 8], [0.9, 0.5], [0.99, 0.5], query_count=1)
    >>> [round(probability, 2) for probability in found.probability.tolist()]
    [0.99, 0.09]
    """
    hits, passes = (np.asarray(rates, dtype=np.float64) for rates in (sensitivity, specificity))
    for name, rates in (("sensitivity", hits), ("specificity", passes)):
        if rates.shape != (hits.size,) or ((rates <= 0) | (rates >= 1)).any():
            raise EstimatorError(f"{name} has to be above 0 and below 1, or NaN, for each of {hits.size} sources")
    hits = np.where(np.isnan(hits), _SENSITIVITY.mean, hits)
    false_positives = np.where(np.isnan(passes), _FALSE_POSITIVES.mean, 1 - passes)
    claims = _Claims.of(query, source, answer, query_count, hits.size)
    return claims.answers(claims.probabilities(hits, false_positives), hits, false_positives, rounds=0)


@dataclass(frozen=True, slots=True, eq=False)
class _Claims:
    """The answers that each source gives, and the queries that it answers."""

    fact_query: Integers
    """(F,)"""
    fact_answer: Integers
    """(F,)"""
    fact: Integers
    """(V,) places of the answers that are given."""
    source: Integers
    """(V,)"""
    asked_query: Integers
    """(P,) query of each pair of a query and a source that says anything on it."""
    asked_source: Integers
    """(P,)"""
    query_count: int
    source_count: int

    @classmethod
    def of(
        cls, query: ArrayLike, source: ArrayLike, answer: ArrayLike, query_count: int, source_count: int
    ) -> "_Claims":
        counts = {"query": query_count, "source": source_count, "answer": None}
        columns = list(map(integers, counts, parallel(query=query, source=source, answer=answer)))
        for name, column in zip(counts, columns, strict=True):
            largest(name, column, counts[name])
        rows = np.unique(np.column_stack(columns).astype(np.int64).reshape(-1, 3), axis=0)
        facts, fact = np.unique(rows[:, [0, 2]], axis=0, return_inverse=True)
        asked = np.unique(rows[:, :2], axis=0)
        return cls(
            facts[:, 0], facts[:, 1], fact.ravel(), rows[:, 1], asked[:, 0], asked[:, 1], query_count, source_count
        )

    @property
    def support(self) -> Floats:
        """(F,) share of those who say anything on the query that give the answer."""
        given = np.bincount(self.fact, minlength=self.fact_query.size)
        return np.asarray(given / np.bincount(self.asked_query, minlength=self.query_count)[self.fact_query])

    def rates(self, probability: Floats, strength: float) -> tuple[Floats, Floats]:
        """(N,) sensitivities and rates of false positives, the means of their posteriors."""
        true = _sums(self.fact_query, probability, self.query_count)
        false = _sums(self.fact_query, 1 - probability, self.query_count)
        given_true = _sums(self.source, probability[self.fact], self.source_count)
        given_false = _sums(self.source, 1 - probability[self.fact], self.source_count)
        all_true = _sums(self.asked_source, true[self.asked_query], self.source_count)
        all_false = _sums(self.asked_source, false[self.asked_query], self.source_count)
        return (
            _SENSITIVITY.posterior_mean(given_true, all_true, strength),
            _FALSE_POSITIVES.posterior_mean(given_false, all_false, strength),
        )

    def answers(self, probability: Floats, sensitivity: Floats, false_positives: Floats, rounds: int) -> SeveralAnswers:
        """The answers with these probabilities (F,), and the rates of sources (N,)."""
        given = np.bincount(self.source, minlength=self.source_count)
        true = _sums(self.source, probability[self.fact], self.source_count)
        precision = np.divide(true, given, out=np.full(self.source_count, np.nan), where=given > 0)
        return SeveralAnswers(
            query=read_only(self.fact_query),
            answer=read_only(self.fact_answer),
            probability=read_only(probability),
            sensitivity=read_only(sensitivity),
            specificity=read_only(1 - false_positives),
            precision=read_only(precision),
            rounds=rounds,
        )

    def probabilities(self, sensitivity: Floats, false_positives: Floats) -> Floats:
        """(F,) probabilities that the answers are true, at these rates (N,)."""
        silent = np.log1p(-sensitivity) - np.log1p(-false_positives)
        given = np.log(sensitivity) - np.log(false_positives) - silent
        of_query = _sums(self.asked_query, silent[self.asked_source], self.query_count)
        of_fact = _sums(self.fact, given[self.source], self.fact_query.size)
        return np.asarray(expit(logit(_TRUTH.mean) + of_query[self.fact_query] + of_fact))


def _sums(place: Integers, value: Floats, count: int) -> Floats:
    """(count,) sums of the values of each place."""
    return np.asarray(np.bincount(place, value, count), dtype=np.float64)
