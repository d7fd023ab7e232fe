"""The search for copy groups: which answers are right and who copies, each estimated from the other until they agree.

Where this ends depends on where it starts, so there are several starts, and the likeliest partition is taken.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from estimator.arrays.types import Floats, Integers
from estimator.copying.collapse import GroupVotes, group_votes
from estimator.copying.evidence import Hypothesis, PairTables, compare
from estimator.copying.grouping import connected, grouped, renumbered
from estimator.copying.partitions import Candidate, PartitionEvidence, PartitionScorer
from estimator.copying.truth import Truth, by_reliability, by_share
from estimator.errors import EstimatorError
from estimator.policies import StopReason
from estimator.votes import VoteMatrix

# A pair with fewer wrong answers than this has no evidence for or against a group.
_LEAST_WRONG = 2.0
# Of the groups suspected in one start, the largest that are also tried alone.
_SUSPECTED_ALONE = 2


@dataclass(frozen=True, slots=True)
class CopyRules:
    """Thresholds of the search. Shares and gain were chosen on the votes of `benchmarks.copies.datasets`.

    >>> CopyRules(copied_share=0.6).copied_share
    0.6
    """

    copied_share: float = 0.5
    """Copied share of wrong answers above which sources make a group. An error that more than half of all independent
    sources share is taken for the truth, so that common errors alone seldom reach it."""
    loose_share: float = 0.3
    """The same in a last attempt, which starts from the best partition so far: two that each copy 60 % from a third
    share 36 %. It has to explain the votes better, and clearly better than its mirror image does."""
    least_log_odds: float = 3.0
    """Log odds (20 to 1) that a link needs, after prior odds of one copying pair among all pairs; and a partition that
    is coarser than the one before."""
    blatant_share: float = 0.95
    """Sources that share this much start in one group, until what they share turns out right: copies are exact, and
    independent observations are not."""
    suspected_share: float = 0.65
    """Sources that share this much start in one group in another attempt."""
    least_gain: float = 0.15
    """By how many nats on each disputed query a partition has to explain the votes better than an earlier one that it
    contradicts. Mirror images, each taking the other's truth for copies, come closer than that."""
    max_rounds: int = 20

    def __post_init__(self) -> None:
        """Raise EstimatorError for shares out of order."""
        shares = (self.loose_share, self.copied_share, self.suspected_share, self.blatant_share)
        if not 0 < shares[0] <= shares[1] <= shares[2] <= shares[3] < 1 or self.max_rounds < 1:
            message = "shares must rise from loose_share to blatant_share between 0 and 1, and max_rounds be 1 or more"
            raise EstimatorError(message)


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """The votes to search in, laid out once."""

    tables: PairTables
    prior_log_odds: Floats
    """(P,) by evidence outside the votes."""
    rules: CopyRules
    scorer: PartitionScorer

    @classmethod
    def of(cls, tables: PairTables, prior_log_odds: Floats, rules: CopyRules) -> Self:
        """Lay out a part of the votes for the scorer, too."""
        return cls(tables, prior_log_odds, rules, PartitionScorer.of(tables, prior_log_odds))

    @property
    def votes(self) -> VoteMatrix:
        """The votes themselves."""
        return self.tables.source_votes.votes

    @property
    def pair_prior(self) -> Floats:
        """(P,) log odds of copying before any vote is seen.

        One pair for every two sources is expected to copy, so that among many sources a link needs more evidence.
        """
        prior: Floats = self.prior_log_odds - np.log(self.votes.source_count)
        return prior

    def run(self) -> Candidate:
        """The partition that blatant copies lead to, unless another start or looser groups explain the votes better."""
        starts = self._starts()
        best = self._refine(next(starts), self.rules.copied_share)
        for start in starts:
            best = self._better(best, self._refine(start, self.rules.copied_share))
        return self._looser(best)

    def _better(self, best: Candidate, other: Candidate) -> Candidate:
        if (best.groups == other.groups).all():
            return best
        least = self.rules.least_log_odds if other.is_coarser(best) else self._margin
        return other if self.scorer.score(other) > self.scorer.score(best) + least else best

    @property
    def _margin(self) -> float:
        return self.rules.least_gain * self.scorer.classes.first.size

    def _looser(self, best: Candidate) -> Candidate:
        """The best partition with looser groups, or the mirror image of it, if the votes tell the two apart."""
        loose = self._better(best, self._refine(best.groups, self.rules.loose_share))
        if not loose.has_copies:
            return best
        mirrored = self._refine(self._mirrored(loose), self.rules.loose_share)
        if self._better(loose, mirrored) is mirrored:
            return self._better(best, mirrored)
        clear = mirrored.is_coarser(loose) or self.scorer.score(loose) > self.scorer.score(mirrored) + self._margin
        return loose if clear else best

    def _mirrored(self, candidate: Candidate) -> Integers:
        """Groups to start from if the answers of the largest group were right and its members did not copy."""
        groups, evidence, classes = candidate.groups, candidate.evidence, self.tables.classes
        size = np.bincount(groups)
        largest = int(size.argmax())
        released = renumbered(np.where(groups == largest, size.size + np.arange(groups.size), groups))
        before, collapsed = evidence.hypothesis.truth, evidence.collapsed
        of_largest = np.zeros(before.right.size)
        of_largest[collapsed.vote_class[collapsed.group == largest]] = 1.0
        right = np.where(classes.total(of_largest)[classes.row] > 0, of_largest, before.right)
        truth, threshold = Truth(right, before.coincidence), self.rules.loose_share
        return self._groups(self._compare(released, group_votes(self.votes, released), truth, threshold), threshold)

    def _starts(self) -> Iterator[Integers]:
        """Groups to start from, all different, the blatant copies first.

        Nothing is known of the truth yet, so every vote counts as wrong as far as others contradict it.
        """
        source_count, classes = self.votes.source_count, self.tables.classes
        singletons = np.arange(source_count)
        truth = by_share(classes, group_votes(self.votes, singletons))
        evidence = compare(self.tables, Hypothesis(singletons, truth, np.ones(classes.row.size)))
        share = evidence.copied_share
        likely = evidence.log_odds(self.rules.copied_share, self.pair_prior) > self.rules.least_log_odds

        def connected_by(threshold: float) -> Integers:
            return connected(source_count, self.tables.pairs.take(np.flatnonzero(likely & (share >= threshold))))

        blatant, suspected = connected_by(self.rules.blatant_share), connected_by(self.rules.suspected_share)
        yield blatant
        seen = {blatant.tobytes()}
        for start in (suspected, *_each_alone(suspected, blatant)):
            if start.tobytes() not in seen:
                seen.add(start.tobytes())
                yield start

    def _refine(self, groups: Integers, threshold: float) -> Candidate:
        """Truth from groups and groups from truth, until groups repeat."""
        seen = {groups.tobytes()}
        evidence = self._evidence(groups, threshold)
        for rounds in range(1, self.rules.max_rounds + 1):
            following = self._groups(evidence, threshold)
            if (following == evidence.hypothesis.groups).all():
                return Candidate(evidence, rounds, StopReason.CONVERGED)
            evidence = self._evidence(following, threshold)
            if following.tobytes() in seen:
                return Candidate(evidence, rounds, StopReason.OSCILLATING)
            seen.add(following.tobytes())
        return Candidate(evidence, self.rules.max_rounds, StopReason.ROUND_LIMIT)

    def _evidence(self, groups: Integers, threshold: float) -> PartitionEvidence:
        collapsed = group_votes(self.votes, groups)
        return self._compare(groups, collapsed, by_reliability(self.tables.classes, collapsed), threshold)

    def _compare(self, groups: Integers, collapsed: GroupVotes, truth: Truth, threshold: float) -> PartitionEvidence:
        hypothesis = Hypothesis.of(groups, collapsed, truth)
        evidence = compare(self.tables, hypothesis)
        return PartitionEvidence(hypothesis, collapsed, evidence, evidence.log_odds(threshold, self.pair_prior))

    def _groups(self, evidence: PartitionEvidence, threshold: float) -> Integers:
        share = np.where(evidence.pairs.wrong >= _LEAST_WRONG, evidence.pairs.copied_share, np.nan)
        linked = np.flatnonzero(evidence.log_odds > self.rules.least_log_odds)
        return grouped(self.votes.source_count, self.tables.pairs, linked, share, threshold)


def _each_alone(suspected: Integers, blatant: Integers) -> Iterator[Integers]:
    """The largest suspected groups, one at a time, with the blatant ones beside it."""
    size = np.bincount(suspected)
    for group in np.argsort(-size, kind="stable")[:_SUSPECTED_ALONE]:
        if size[group] > 1:
            yield renumbered(np.where(suspected == group, blatant.size, blatant))
