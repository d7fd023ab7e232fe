"""The search for copy groups: which answers are right and who copies, each estimated from the other until they agree.

Where this ends depends on where it starts, so there are several starts, and the likeliest partition is taken.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from estimator.arrays.types import Floats, Integers
from estimator.copying.collapse import GroupVotes, group_votes
from estimator.copying.evidence import Evidence, compare
from estimator.copying.grouping import linked_groups, renumbered
from estimator.copying.likelihood import log_likelihood
from estimator.copying.pairs import ALL_PAIRS_LIMIT, Pairs, label_agreement
from estimator.copying.truth import Truth, estimated_truth
from estimator.errors import EstimatorError
from estimator.result import START_RELIABILITY
from estimator.votes import VoteMatrix

_MOST_ROUNDS: Final = 10
_LINKED: Final = 3.0
"""Log odds (20 to 1) that a link needs."""
_LOOSE: Final = 0.6
"""Part of the copied share from which loose groups count: two that each copy 60 % from a third share 36 %."""
_STARTS: Final = (0.65, 0.4)
"""Agreement from which sources start in one group in further attempts; the likelihood decides between these."""


@dataclass(frozen=True, slots=True)
class CopyRules:
    """Thresholds of the search; docs/results/copies.md says which data chose them and what half and double do.

    >>> CopyRules(overlap=0.5).overlap
    0.5
    """

    exact: float = 0.97
    """Sources that agree this often start in one group, until their reliabilities explain it: copies are exact, and
    independent observations are not."""
    overlap: float = 0.3
    """Jaccard index of what two sources vote on, below which neither can be the other's copy."""
    copied_share: float = 0.5
    """Share of answers that a source of a group takes over; loose groups, which 0.6 of it would make, count where they
    explain the votes better."""
    gain: float = 0.15
    """By how many nats on each disputed query another partition has to explain the votes better."""

    def __post_init__(self) -> None:
        """Raise EstimatorError for numbers out of range."""
        if not all(0 < share < 1 for share in (self.exact, self.overlap, self.copied_share)) or self.gain < 0:
            raise EstimatorError("exact, overlap and copied_share are shares between 0 and 1, and gain is 0 or more")


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Copy groups that are consistent with the evidence under them."""

    groups: Integers
    """(N,)"""
    truth: Truth
    reliability: Floats
    """(N,) of the sources, each by its own votes."""
    evidence: Evidence
    collapsed: GroupVotes
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
        """Leave out the pairs whose coverage contradicts copying, unless they agree exactly or are suspected."""
        exact = pairs.agreement >= rules.exact
        covered = (pairs.jaccard >= rules.overlap) & (exact | ~pairs.coverage_contradicts(_LOOSE * rules.copied_share))
        agreeing = pairs.agreement >= 0.3 * rules.copied_share
        kept = pairs.take((covered & agreeing) | (pairs.prior_log_odds > 0))
        return cls(votes, kept, rules, label_agreement(votes)(kept))

    def run(self) -> Partition:
        """The partition that exact copies lead to, unless another one explains the votes better."""
        count, rules = self.votes.source_count, self.rules
        exact = self._agreeing(rules.exact)
        best = self._refined(exact, rules.copied_share)
        if not self.pairs.first.size or count > ALL_PAIRS_LIMIT:
            return best
        starts = {start.tobytes(): start for start in self._starts(exact)}
        # Loose groups only grow out of the best partition: they must be unexplained by its reliabilities, too.
        for share, more in ((rules.copied_share, starts.values()), (_LOOSE * rules.copied_share, ())):
            others = [self._refined(start, share) for start in (best.groups, *more)]
            better = (other for other in sorted(others, key=self._score, reverse=True))
            best = next((other for other in better if self._is_better(other, best, share)), best)
        return best

    def _is_better(self, other: Partition, best: Partition, share: float) -> bool:
        """Whether the other partition only adds groups that explain the votes better; or is clearly better than the
        best one and than its own mirror image, in which its largest group is right and all others copy.
        """
        gain = self._score(other) - self._score(best)
        if share == self.rules.copied_share and _is_coarser(other.groups, best.groups):
            return gain > _LINKED
        least_gain = self.rules.gain * np.unique(self.votes.class_query).size
        if gain <= least_gain:
            return False
        largest = other.groups == np.bincount(other.groups).argmax()
        mirrored = renumbered(np.where(largest, 1 + np.arange(largest.size), 0))
        return self._score(other) > self._score(self._partition(mirrored, share, rounds=0)) + least_gain

    def _starts(self, exact: Integers) -> Iterator[Integers]:
        """Groups of sources that agree much, all of them and the two largest alone."""
        for level in _STARTS:
            agreeing = self._agreeing(level)
            yield agreeing
            size = np.bincount(agreeing)
            for group in np.argsort(-size, kind="stable")[:2]:
                if size[group] > 1:
                    yield renumbered(np.where(agreeing == group, exact.size, exact))

    def _agreeing(self, level: float) -> Integers:
        agreement = np.where(self.pairs.overlap >= 10, self.pairs.agreement, 0.0)
        return linked_groups(self.votes.source_count, self.pairs, agreement >= level, agreement, level)

    def _refined(self, groups: Integers, share: float) -> Partition:
        """What is right from groups, and groups from what is right, until groups repeat."""
        contradicted = self.pairs.coverage_contradicts(share) & (self.pairs.agreement < self.rules.exact)
        possible = ~contradicted | (self.pairs.prior_log_odds > 0)
        seen: set[bytes] = set()
        while True:
            partition = self._partition(groups, share, rounds=len(seen) + 1)
            evidence = partition.evidence
            linked = (evidence.log_odds > _LINKED) & possible
            following = linked_groups(self.votes.source_count, self.pairs, linked, evidence.copied_share, share)
            if (following == groups).all() or groups.tobytes() in seen or len(seen) == _MOST_ROUNDS:
                return partition
            seen.add(groups.tobytes())
            groups = following

    def _partition(self, groups: Integers, share: float, rounds: int) -> Partition:
        collapsed = group_votes(self.votes, groups)
        truth = estimated_truth(self.votes, collapsed)
        reliability = self._reliability(truth)
        log_prior = -float(np.log(self.votes.source_count))
        evidence = compare(self.pairs, reliability, truth.wrong_agreement, self.by_labels, share, log_prior)
        return Partition(groups, truth, reliability, evidence, collapsed, rounds)

    def _score(self, partition: Partition) -> float:
        return log_likelihood(self.votes, partition.groups, partition.collapsed, partition.truth.right)

    def _reliability(self, truth: Truth) -> Floats:
        """(N,) share of right votes, with the start of the model as two votes more."""
        count = self.votes.source_count
        right_votes = np.bincount(self.votes.source, truth.right[self.votes.vote_class], minlength=count)
        votes = np.bincount(self.votes.source, minlength=count)
        reliability: Floats = (right_votes + 2 * START_RELIABILITY) / (votes + 2)
        return reliability


def _is_coarser(groups: Integers, finer: Integers) -> bool:
    """Whether every group of `finer` lies within one of `groups`."""
    pairs = np.unique(np.stack((groups, finer)), axis=1)
    return bool(pairs.shape[1] == int(finer.max()) + 1)
