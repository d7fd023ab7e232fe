"""The rows of all confusion matrices: Dirichlet distributions around those of the one-coin model."""

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln

from estimator.arrays.types import Floats
from estimator.weights import clip_reliability


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionRows:
    """The Dirichlet distributions of all rows, (N, T, G, T): expected counts, and the mean before any vote."""

    counts: Floats
    base: Floats
    concentration: float
    log_evidence: float

    def expected_log(self) -> Floats:
        """(N, T, G, T) `E[log pi]`."""
        total = self.counts + self.concentration * self.base
        logs: Floats = digamma(total) - digamma(total.sum(axis=3, keepdims=True))
        return logs


def base_rows(counts: Floats, reliability: Floats) -> Floats:
    """(N, T, 1, T) rows of the one-coin model: right with the reliability, else as the corpus errs."""
    errors = counts.sum(axis=(0, 2))
    labels = errors.shape[0]
    off_diagonal = ~np.eye(labels, dtype=np.bool_)
    errors = np.where(off_diagonal, errors + 1 / max(labels - 1, 1), 0.0)
    errors /= np.maximum(errors.sum(axis=1, keepdims=True), 1e-300)
    right = clip_reliability(reliability)[:, None, None]
    rows: Floats = np.where(off_diagonal, (1 - right) * errors, right)
    return rows[:, :, None, :]


def likeliest_rows(counts: Floats, base: Floats, candidates: Floats) -> ConfusionRows:
    """The rows with the concentration under which the counts are likeliest (Dirichlet-multinomial)."""
    if counts.shape[1] == 1:  # one label cannot be confused
        return ConfusionRows(counts, np.ones_like(base), 1.0, 0.0)
    totals = counts.sum(axis=3)
    likelihoods = [_log_likelihood(counts, totals, base, float(concentration)) for concentration in candidates]
    best = int(np.argmax(likelihoods))
    return ConfusionRows(counts, base, float(candidates[best]), likelihoods[best])


def _log_likelihood(counts: Floats, totals: Floats, base: Floats, concentration: float) -> float:
    expected = concentration * base
    cells = gammaln(expected + counts).sum() - counts.shape[2] * gammaln(expected).sum()
    return float(cells + (gammaln(concentration) - gammaln(concentration + totals)).sum())
