"""The search for copy groups: which answers are right and who copies, each estimated from the other until they agree.

Where this ends depends on where it starts, so there are two starts, and the likelier partition is taken.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from estimator.arrays.types import Flags, Floats, Integers
from estimator.copying.collapse import group_votes
from estimator.copying.evidence import Evidence, compare
from estimator.copying.pairs import Pairs, label_agreement
from estimator.copying.truth import Truth, estimated_truth, log_likelihood, reliability_of
from estimator.errors import EstimatorError
from estimator.prior import CREDIBILITY
from estimator.votes import VoteMatrix

_MOST_ROUNDS: Final = 10
CERTAIN: Final = float(np.log(CREDIBILITY / (1 - CREDIBILITY)))
"""Log odds that a link needs, and the direction of copying: 9 to 1, as for all intervals."""


@dataclass(frozen=True, slots=True)
class CopyRules:
    """Thresholds of the search; docs/results/copies.md says which data chose them and what half and double do.

    >>> CopyRules(overlap=0.5).overlap
    0.5
    """

    overlap: float = 0.3
    """Jaccard index of what two sources vote on, below which neither can be the other's copy."""
    copied_share: float = 0.5
    """Share of its answers that a copier takes over; more than half is possible from one source only."""
    labels: int = 10
    """So many different answers are labels, which a source may prefer whatever is asked; this explains agreement."""

    def __post_init__(self) -> None:
        """Raise EstimatorError for numbers out of range."""
        if not all(0 < share < 1 for share in (self.overlap, self.copied_share)):
            raise EstimatorError("overlap and copied_share are shares between 0 and 1")


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Copy groups that are consistent with the evidence under them."""

    groups: Integers
    """(N,)"""
    truth: Truth
    reliability: Floats
    """(N,) of the sources, each by its own votes."""
    evidence: Evidence
    log_likelihood: float
    rounds: int


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """The votes on disputed queries, and the pairs of sources that may copy."""

    votes: VoteMatrix
    pairs: Pairs
    rules: CopyRules
    by_labels: Floats
    """(P,) agreement by the frequencies of labels."""

    @classmethod
    def of(cls, votes: VoteMatrix, pairs: Pairs, rules: CopyRules) -> "Search":
        """Leave out the pairs that can not be linked, unless they are suspected: a copier covers what its original
        does, and agrees with it at least on what it takes over.
        """
        possible = (pairs.jaccard >= rules.overlap) & (pairs.agreement >= rules.copied_share)
        kept = pairs.take(possible | (pairs.prior_log_odds > 0))
        return cls(votes, kept, rules, label_agreement(votes, kept, rules.labels))

    def run(self) -> Partition:
        """The likelier of the partitions to which sources that are alone lead, and groups of all that agree often."""
        alone = self._refined(np.arange(self.votes.source_count))
        joined = self._refined(self._linked(self.pairs.agreement >= self.rules.copied_share))
        return max(alone, joined, key=lambda partition: partition.log_likelihood)

    def _refined(self, groups: Integers) -> Partition:
        """What is right from groups, and groups from what is right, until groups repeat."""
        seen: set[bytes] = set()
        while True:
            seen.add(groups.tobytes())
            partition = self._partition(groups, rounds=len(seen))
            groups = self._linked(partition.evidence.log_odds > CERTAIN)
            if groups.tobytes() in seen or len(seen) == _MOST_ROUNDS:
                return partition

    def _linked(self, linked: Flags) -> Integers:
        """(N,) labels of the sources that the linked pairs connect, numbered from 0 by their first member."""
        links = (np.ones(np.count_nonzero(linked)), (self.pairs.first[linked], self.pairs.second[linked]))
        graph = sparse.coo_array(links, shape=(self.votes.source_count,) * 2)
        groups: Integers = connected_components(graph, directed=False)[1].astype(np.int64)
        return groups

    def _partition(self, groups: Integers, rounds: int) -> Partition:
        collapsed = group_votes(self.votes, groups)
        truth = estimated_truth(self.votes, collapsed)
        right = truth.right[self.votes.vote_class]
        reliability = reliability_of(self.votes.source, right, self.votes.source_count)
        evidence = compare(self.pairs, reliability, truth.wrong_agreement, self.by_labels, self.rules.copied_share)
        score = log_likelihood(self.votes, groups, collapsed, truth.right)
        return Partition(groups, truth, reliability, evidence, score, rounds)
