"""Topics as a mixture: every cluster of queries has one of G profiles, the reliabilities of all sources on a topic."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import softmax

from estimator.arrays.types import Floats

# Votes that the reliability of a source counts as much as, in its reliability on a topic.
_STRENGTH: Final = 2.0
_ROUNDS: Final = 60
_TOLERANCE: Final = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """G profiles of N sources, and which of them T clusters have; of one fit, or of each of several."""

    reliability: Floats
    """(..., G, N)"""
    share: Floats
    """(..., T, G) probability that a cluster has a profile."""

    def predicted(self) -> Floats:
        """(..., T, N) expected reliabilities on every cluster."""
        predicted: Floats = self.share @ self.reliability
        return predicted


def fit_profiles(right: Floats, votes: Floats, overall: Floats, count: int) -> Profiles:
    """Fit G = `count` profiles to the expected number of right votes (..., T, N) of all votes (..., T, N), by
    expectation maximisation; `overall` (..., N) are the reliabilities without topics.

    Starts from Ward's clusters of the deviations from `overall`, in units of their standard deviation, along their
    G - 1 principal components. Fits along the leading axes are made together, until the last of them converges: a round
    of one is so little arithmetic that calling numpy takes most of the time.
    """
    overall = overall[..., None, :]
    if count >= right.shape[-2]:
        share = np.broadcast_to(np.eye(right.shape[-2]), (*right.shape[:-1], right.shape[-2])).copy()
        return Profiles(_m_step(right, votes, overall, share), share)
    share = _start(right, votes, overall, count)
    for _ in range(_ROUNDS):
        reliability = _m_step(right, votes, overall, share)
        previous, share = share, _e_step(right, votes, reliability, share)
        if np.abs(share - previous).max() < _TOLERANCE:
            break
    return Profiles(_m_step(right, votes, overall, share), share)


def _m_step(right: Floats, votes: Floats, overall: Floats, share: Floats) -> Floats:
    """(..., G, N) posterior means under Beta priors around `overall`."""
    clusters = share.swapaxes(-2, -1)
    reliability: Floats = (clusters @ right + _STRENGTH * overall) / (clusters @ votes + _STRENGTH)
    return reliability


def _e_step(right: Floats, votes: Floats, reliability: Floats, share: Floats) -> Floats:
    """(..., T, G) posterior probabilities of the profiles."""
    prior = (share.sum(axis=-2, keepdims=True) + 1) / (share.shape[-2] + share.shape[-1])
    profiles = reliability.swapaxes(-2, -1)
    logs = right @ np.log(profiles) + (votes - right) @ np.log1p(-profiles) + np.log(prior)
    posterior: Floats = softmax(logs, axis=-1)
    return posterior


def _start(right: Floats, votes: Floats, overall: Floats, count: int) -> Floats:
    """(..., T, G)"""
    from scipy.cluster.hierarchy import fcluster, linkage  # noqa: PLC0415  (takes 0.1 s, and few processes estimate)

    spread = np.sqrt(np.maximum(votes.sum(axis=-1, keepdims=True), 1.0) * overall * (1 - overall))
    left, singular, _ = np.linalg.svd((right - votes * overall) / spread, full_matrices=False)
    components = (left * singular[..., None, :])[..., : max(count - 1, 1)]
    each = components.reshape(-1, *components.shape[-2:])
    label = np.array([fcluster(linkage(points, "ward"), count, "maxclust") - 1 for points in each])
    start: Floats = softmax(4.0 * np.eye(count)[label], axis=-1)
    return start.reshape(*components.shape[:-1], count)
