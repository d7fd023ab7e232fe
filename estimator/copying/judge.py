"""Stories of who copies, and which of them explains the votes best."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from estimator.copying.collapse import GroupVotes, group_votes
from estimator.copying.evidence import Comparison, Counted, View
from estimator.copying.layout import Ballots, Flags, Floats, disputed
from estimator.copying.likelihood import log_likelihood
from estimator.copying.pairs import Pairs
from estimator.copying.truth import Truth
from estimator.policies import StopReason
from estimator.votes import Integers, VoteMatrix

# Stories are compared on no more votes than this, a part of a second's work each, as long as a source keeps so many.
_MOST_VOTES, _ENOUGH = 200_000, 8


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """The pairs under one division into groups."""

    view: View
    kept: GroupVotes
    comparison: Comparison
    log_odds: Floats
    """(P,)"""


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """Where one attempt ended."""

    look: Look
    rounds: int
    stop_reason: StopReason

    @property
    def groups(self) -> Integers:
        """(N,)"""
        return self.look.view.groups

    @property
    def accuses(self) -> bool:
        """Whether any source is in a group of several."""
        return self.look.kept.group_count < self.groups.size

    def goes_beyond(self, other: "Finding") -> bool:
        """Whether all that the other puts together is together here too."""
        pairs = np.unique(np.stack((other.groups, self.groups)), axis=1)
        return bool(pairs.shape[1] == other.look.kept.group_count)


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Says how well stories explain the votes, by as many of them as are enough to tell."""

    votes: VoteMatrix
    ballots: Ballots
    classes: Flags
    """(C,) which classes of all votes these are for."""
    told: Floats
    """(P,) log odds of copying by what a witness says."""
    pairs: Pairs
    _known: dict[bytes, float] = field(default_factory=dict)

    @classmethod
    def of(cls, counted: Counted, told: Floats) -> Self:
        """Lay out a part of the votes."""
        part, classes = disputed(counted.roll.votes, _MOST_VOTES, _ENOUGH)
        return cls(part, Ballots.of(part), classes, told, counted.pairs)

    def explained(self, finding: Finding) -> float:
        """Log likelihood of the votes, and what a witness adds for the groups."""
        groups = finding.groups
        key = groups.tobytes()
        if key not in self._known:
            truth = finding.look.view.truth
            there = Truth(truth.chance[self.classes], truth.coincidence)
            kept = group_votes(self.votes, groups)
            likelihood = log_likelihood(self.votes, self.ballots, groups, kept, there)
            self._known[key] = likelihood + self._witnessed(groups)
        return self._known[key]

    def _witnessed(self, groups: Integers) -> float:
        """Log odds by a witness for the links that hold the groups together, the strongest ones for it."""
        first, second = self.pairs.first, self.pairs.second
        inside = np.flatnonzero((groups[first] == groups[second]) & (self.told != 0))
        if not inside.size:
            return 0.0
        shape = (groups.size, groups.size)
        links = sparse.coo_array((-self.told[inside], (first[inside], second[inside])), shape=shape)
        return -float(minimum_spanning_tree(links.tocsr()).sum())
