"""Candidate partitions of the sources into copy groups, and how well each explains the votes."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from estimator.arrays.types import Flags, Floats, Integers
from estimator.copying.collapse import GroupVotes, group_votes
from estimator.copying.evidence import Hypothesis, PairEvidence, PairTables
from estimator.copying.layout import QueryClasses, disputed
from estimator.copying.likelihood import log_likelihood
from estimator.copying.pairs import Pairs
from estimator.copying.truth import Truth
from estimator.policies import StopReason
from estimator.votes import VoteMatrix

# Partitions are scored on no more votes than this, part of a second's work each, as long as a source keeps so many.
_MOST_VOTES, _LEAST_VOTES = 200_000, 8


@dataclass(frozen=True, slots=True, eq=False)
class PartitionEvidence:
    """The evidence of all pairs under one partition."""

    hypothesis: Hypothesis
    collapsed: GroupVotes
    pairs: PairEvidence
    log_odds: Floats
    """(P,) that a pair copies."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A partition at which one attempt of the search ended."""

    evidence: PartitionEvidence
    rounds: int
    stop_reason: StopReason

    @property
    def groups(self) -> Integers:
        """(N,)"""
        return self.evidence.hypothesis.groups

    @property
    def has_copies(self) -> bool:
        """Whether any group has several members."""
        return self.evidence.collapsed.group_count < self.groups.size

    def is_coarser(self, other: "Candidate") -> bool:
        """Whether all sources that are together in the other partition are together in this one."""
        pairs = np.unique(np.stack((other.groups, self.groups)), axis=1)
        return bool(pairs.shape[1] == other.evidence.collapsed.group_count)


@dataclass(frozen=True, slots=True, eq=False)
class PartitionScorer:
    """Scores partitions by how well they explain the votes, on as many of these as are enough to tell."""

    votes: VoteMatrix
    classes: QueryClasses
    class_kept: Flags
    """(C,) which answer classes of all votes these are for."""
    prior_log_odds: Floats
    """(P,) by evidence outside the votes."""
    pairs: Pairs
    _scores: dict[bytes, float] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: PairTables, prior_log_odds: Floats) -> Self:
        """Lay out a part of the votes."""
        part, class_kept = disputed(tables.source_votes.votes, _MOST_VOTES, _LEAST_VOTES)
        return cls(part, QueryClasses.of(part), class_kept, prior_log_odds, tables.pairs)

    def score(self, candidate: Candidate) -> float:
        """Log-likelihood of the votes, plus the prior evidence for the groups."""
        groups = candidate.groups
        key = groups.tobytes()
        if key not in self._scores:
            truth = candidate.evidence.hypothesis.truth
            truth = Truth(truth.right[self.class_kept], truth.coincidence)
            collapsed = group_votes(self.votes, groups)
            likelihood = log_likelihood(self.votes, self.classes, groups, collapsed, truth)
            self._scores[key] = likelihood + self._prior(groups)
        return self._scores[key]

    def _prior(self, groups: Integers) -> float:
        """Prior log odds of the links that hold the groups together: a spanning tree of the strongest ones."""
        first, second = self.pairs.first, self.pairs.second
        inside = np.flatnonzero((groups[first] == groups[second]) & (self.prior_log_odds != 0))
        if not inside.size:
            return 0.0
        shape = (groups.size, groups.size)
        links = sparse.coo_array((-self.prior_log_odds[inside], (first[inside], second[inside])), shape=shape)
        return -float(minimum_spanning_tree(links.tocsr()).sum())
