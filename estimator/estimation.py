"""`estimate`: reliabilities and answers from votes alone, by any method of the family."""

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.types import Floats
from estimator.copying.prior_evidence import PriorEvidence
from estimator.errors import EstimatorError
from estimator.methods import Options, method_named
from estimator.policies import LabelCount, NegativeWeights, SilentSources, TiePolicy
from estimator.result import Estimate, WarmStart
from estimator.votes import VoteMatrix


def estimate(  # noqa: PLR0913 - each choice is a name the caller may set, and none needs setting
    votes: VoteMatrix,
    method: str = "iwmv",
    *,
    labels: int | LabelCount | None = None,
    ties: TiePolicy = TiePolicy.SUPPORTERS,
    negative_weights: NegativeWeights = NegativeWeights.KEEP,
    silent_sources: SilentSources = SilentSources.MEAN,
    max_rounds: int = 100,
    tolerance: float = 1e-9,
    true_reliability: ArrayLike | None = None,
    previous: Estimate | WarmStart | None = None,
    seed: int = 0,
    time: ArrayLike | None = None,
    prior_evidence: PriorEvidence | None = None,
) -> Estimate:
    """Estimate how reliable the sources are and what the answers are.

    Parameters
    ----------
    votes
        V votes of N sources on M queries.
    method
        The name of a member of `methods.METHODS`; a method ignores the parameters that it does not use.
    labels
        L in the weight `L * w - 1`, as a number or by a policy; None is `LabelCount.SOURCES`.
    ties, negative_weights, silent_sources
        Policies, see `policies`.
    max_rounds, tolerance
        Iterations stop after so many rounds, or when no reliability moves by more than the tolerance.
    true_reliability
        (N,) what `oracle` weighs by; no other method takes it.
    previous
        The estimate of fewer votes, or its `state`, to start from; sources keep their numbers and new ones follow.
    seed
        Fixes what sampling methods draw.
    time
        (V,) when each vote was published, in the order of `votes.triples()`, NaN where unknown.
    prior_evidence
        What is known of copying outside the votes, such as near-duplicate passages.

    Raises
    ------
    EstimatorError
        For an unknown method and for parameters that are out of range or do not fit the votes.

    Examples
    --------
    >>> votes = VoteMatrix.from_triples([0, 0, 0, 1], [0, 1, 2, 0], [4, 4, 9, 5], query_count=2, source_count=3)
    >>> result = estimate(votes, "iwmv")
    >>> result.answer.tolist(), result.reliability.tolist()
    ([4, 5], [1.0, 1.0, 0.0])
    """
    member = method_named(method)
    options = Options(
        labels=_labels(labels),
        ties=TiePolicy(ties),
        negative_weights=NegativeWeights(negative_weights),
        silent_sources=SilentSources(silent_sources),
        max_rounds=_max_rounds(max_rounds),
        tolerance=_tolerance(tolerance),
        true_reliability=_true_reliability(true_reliability, votes.source_count),
        previous=_warm_start(previous, votes.source_count) if "previous" in member.parameters else None,
        seed=seed,
        time=None if time is None else np.asarray(time, dtype=np.float64),
        prior_evidence=prior_evidence,
    )
    if (true_reliability is not None) != ("true_reliability" in member.parameters):
        message = f"true_reliability belongs to methods that weigh by it, and {method} is given; give both or neither"
        raise EstimatorError(message)
    return member.estimate(votes, options)


def _warm_start(previous: Estimate | WarmStart | None, source_count: int) -> WarmStart | None:
    """The last state, with sources that came since at the prior; None where the method kept none."""
    state = previous.state if isinstance(previous, Estimate) else previous
    if state is None:
        return None
    if state.reliability.size > source_count:
        message = (
            f"the previous estimate knows {state.reliability.size} sources; number new ones after them and drop none"
        )
        raise EstimatorError(message)
    reliability = np.full(source_count, np.nan)
    reliability[: state.reliability.size] = state.reliability
    return WarmStart(np.where(np.isnan(reliability), state.newcomer, reliability), state.mixture, state.newcomer)


def _labels(labels: int | LabelCount | None) -> int | LabelCount:
    if labels is None:
        return LabelCount.SOURCES
    if not isinstance(labels, LabelCount) and labels < 1:
        message = f"labels is {labels}; a query has at least 1 possible answer"
        raise EstimatorError(message)
    return labels


def _max_rounds(max_rounds: int) -> int:
    if max_rounds < 1:
        message = f"max_rounds is {max_rounds}; allow at least 1 round"
        raise EstimatorError(message)
    return max_rounds


def _tolerance(tolerance: float) -> float:
    if not 0 <= tolerance < 1:
        message = f"tolerance is {tolerance}; give how far a reliability may still move, from 0 to below 1"
        raise EstimatorError(message)
    return tolerance


def _true_reliability(truth: ArrayLike | None, source_count: int) -> Floats | None:
    if truth is None:
        return None
    reliability = np.array(truth, dtype=np.float64)
    if reliability.shape != (source_count,):
        message = f"true_reliability has shape {reliability.shape}; give one number for each of {source_count} sources"
        raise EstimatorError(message)
    if not ((reliability >= 0) & (reliability <= 1)).all():
        message = "true_reliability must be shares from 0 to 1 without NaN"
        raise EstimatorError(message)
    return reliability
