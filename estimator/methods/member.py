"""The definition of an estimation method, a member of the family."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from estimator.arrays.types import Floats, Integers
from estimator.copying.pairs import PriorEvidence
from estimator.errors import EstimatorError
from estimator.policies import Drift, LabelCount, NegativeWeights, SilentSources, TiePolicy
from estimator.result import Estimate, WarmStart
from estimator.source_priors import SourcePriors
from estimator.topics.queries import QueryTopics
from estimator.votes import VoteMatrix

FEW_CHAINS: Final = 12
"""Most chains of a fit that is asked for answers and not for intervals."""


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """The arguments of `estimate`; a method uses those that its member names.

    >>> Options().labels
    <LabelCount.SOURCES: 'sources'>
    """

    labels: int | LabelCount = LabelCount.SOURCES
    ties: TiePolicy = TiePolicy.SUPPORTERS
    negative_weights: NegativeWeights = NegativeWeights.KEEP
    silent_sources: SilentSources = SilentSources.MEAN
    max_rounds: int = 100
    tolerance: float = 1e-9
    true_reliability: Floats | None = None
    """(N,)"""
    previous: WarmStart | None = None
    seed: int = 0
    time: Floats | None = None
    """(V,)"""
    prior_evidence: PriorEvidence | None = None
    drift: Drift = Drift.AUTO
    groups: Integers | None = None
    """(N,) copy groups that `auto` takes instead of looking for them."""
    gold: Integers | None = None
    """(M,)"""
    source_priors: SourcePriors | None = None
    topics: QueryTopics | None = None
    registered: Floats | None = None
    """(N,)"""
    most_chains: int = 64
    """Most chains of samples of a posterior."""

    def __post_init__(self) -> None:
        """Raise EstimatorError for numbers out of range."""
        if not isinstance(self.labels, LabelCount) and self.labels < 1:
            raise EstimatorError(f"labels is {self.labels}; a query has at least 1 possible answer")
        if self.max_rounds < 1:
            raise EstimatorError(f"max_rounds is {self.max_rounds}; allow at least 1 round")
        if not 0 <= self.tolerance < 1:
            raise EstimatorError(f"tolerance is {self.tolerance}; a reliability may still move by 0 to below 1")

    def random(self) -> np.random.Generator:
        """A generator that starts from `seed`."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True, slots=True, eq=False)
class EstimationMethod:
    """A way to estimate reliabilities and answers from votes, and how a vote weighs under its model.

    >>> from estimator.methods import method_named
    >>> method_named("iwmv").summary
    'iterative weighted majority vote (Li & Yu 2014, arXiv:1411.4086), as in RA-RAG'
    """

    name: str
    summary: str
    """One line for the documentation."""
    estimate: Callable[[VoteMatrix, Options], Estimate]
    parameters: frozenset[str]
    """The arguments of `estimate` that it uses; it ignores the others."""
    cost: str
    """Growth of the work with V votes, and with what else."""
    vote_weight: Callable[[float, int], float]
    """The weight of a vote, given the reliability of its source and the number of labels L."""
