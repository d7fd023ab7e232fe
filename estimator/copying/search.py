"""Finding the sources that copy: truth and dependence, each estimated from the other until they agree.

What they agree on depends on where they start, so there are several stories, and the likeliest is believed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from estimator.copying.collapse import GroupVotes, group_votes
from estimator.copying.evidence import Counted, View, compare
from estimator.copying.grouping import chained, grouped, in_order
from estimator.copying.judge import Finding, Judge, Look
from estimator.copying.layout import Floats
from estimator.copying.truth import Truth, by_reliability, by_share
from estimator.errors import EstimatorError
from estimator.policies import StopReason
from estimator.votes import Integers, VoteMatrix

# A pair whose likeness rests on fewer wrong answers than this neither joins a group nor parts it.
_LEAST_KNOWN = 2.0
# Of the groups suspected in one start, the largest that are also tried alone.
_SUSPECTED_ALONE = 2


@dataclass(frozen=True, slots=True)
class CopyRules:
    """When likeness is called a copy. Shares and gain were chosen on votes of `benchmarks.copies.datasets`."""

    copied_share: float = 0.5
    """Share of wrong answers taken over above which sources make a group. An error that more than half of all
    independent sources share is taken for the truth, so that fashions alone seldom reach it."""
    loose_share: float = 0.3
    """The same in a last attempt, which starts from the best story so far: two that each take 60 % from a third share
    36 %. It has to explain the votes better, and clearly better than its mirror image does."""
    least_log_odds: float = 3.0
    """Log odds (20 to 1) a link needs, after prior odds of one copying pair among all pairs; and a story that puts more
    together than the one before."""
    blatant_share: float = 0.95
    """Sources as alike as this start in one group, until what they share turns out right: copies are exact, and
    observers are not."""
    suspected_share: float = 0.65
    """Sources as alike as this start in one group in another attempt."""
    least_gain: float = 0.15
    """By how many nats on each disputed query a story has to explain the votes better than one found before it that it
    contradicts. Stories that are mirror images, each taking the other's truth for copies, come closer than that."""
    max_rounds: int = 20

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        shares = (self.loose_share, self.copied_share, self.suspected_share, self.blatant_share)
        if not 0 < shares[0] <= shares[1] <= shares[2] <= shares[3] < 1 or self.max_rounds < 1:
            message = "shares must rise from loose_share to blatant_share between 0 and 1, and max_rounds be 1 or more"
            raise EstimatorError(message)


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """The votes to search in, laid out once."""

    counted: Counted
    told: Floats
    """(P,) log odds of copying by what a witness says."""
    rules: CopyRules
    judge: Judge

    @classmethod
    def of(cls, counted: Counted, told: Floats, rules: CopyRules) -> Self:
        """Lay out a part for the judge, too."""
        return cls(counted, told, rules, Judge.of(counted, told))

    @property
    def votes(self) -> VoteMatrix:
        """The votes themselves."""
        return self.counted.roll.votes

    @property
    def prior(self) -> Floats:
        """(P,) log odds of copying before any vote is seen.

        A pair for every two sources is expected to copy, so that in a crowd a link has to prove more.
        """
        prior: Floats = self.told - np.log(self.votes.source_count)
        return prior

    def run(self) -> Finding:
        """What the blatant copies lead to, then what every other start leads to, and a looser look: a story stands
        until another explains the votes better.
        """
        starts = self._starts()
        best = self._refine(next(starts), self.rules.copied_share)
        for start in starts:
            best = self._better(best, self._refine(start, self.rules.copied_share))
        return self._looser(best)

    def _better(self, best: Finding, other: Finding) -> Finding:
        if (best.groups == other.groups).all():
            return best
        least = self.rules.least_log_odds if other.goes_beyond(best) else self._margin
        return other if self.judge.explained(other) > self.judge.explained(best) + least else best

    @property
    def _margin(self) -> float:
        return self.rules.least_gain * self.judge.ballots.first.size

    def _looser(self, best: Finding) -> Finding:
        """The best story with looser groups, or the mirror image of it, if votes tell the two apart."""
        story = self._better(best, self._refine(best.groups, self.rules.loose_share))
        if not story.accuses:
            return best
        mirrored = self._refine(self._mirrored(story), self.rules.loose_share)
        if self._better(story, mirrored) is mirrored:
            return self._better(best, mirrored)
        clear = (
            mirrored.goes_beyond(story) or self.judge.explained(story) > self.judge.explained(mirrored) + self._margin
        )
        return story if clear else best

    def _mirrored(self, finding: Finding) -> Integers:
        """Groups to start from if what the largest group says were true and its members did not copy."""
        groups = finding.groups
        size = np.bincount(groups)
        largest = int(size.argmax())
        released = in_order(np.where(groups == largest, size.size + np.arange(groups.size), groups))
        before, kept = finding.look.view.truth, finding.look.kept
        said = np.zeros(before.chance.size)
        said[kept.klass[kept.group == largest]] = 1.0
        row = self.counted.ballots.row
        chance = np.where(self.counted.ballots.total(said)[row] > 0, said, before.chance)
        truth = Truth(chance, before.coincidence)
        look = self._compared(released, group_votes(self.votes, released), truth, self.rules.loose_share)
        return self._groups(look, self.rules.loose_share)

    def _starts(self) -> Iterator[Integers]:
        """Groups to start from, no two alike, the blatant copies first.

        Nothing is known of truth yet, so every vote counts as wrong as far as others contradict it.
        """
        source_count = self.votes.source_count
        alone = np.arange(source_count)
        truth = by_share(self.counted.ballots, group_votes(self.votes, alone))
        view = View(alone, truth, np.ones(self.counted.ballots.row.size))
        comparison = compare(self.counted, view)
        share = comparison.share
        telling = comparison.log_odds(self.rules.copied_share, self.prior) > self.rules.least_log_odds

        def alike(bar: float) -> Integers:
            return chained(source_count, self.counted.pairs.take(np.flatnonzero(telling & (share >= bar))))

        blatant, suspected = alike(self.rules.blatant_share), alike(self.rules.suspected_share)
        yield blatant
        seen = {blatant.tobytes()}
        for start in (suspected, *_each_alone(suspected, blatant)):
            if start.tobytes() not in seen:
                seen.add(start.tobytes())
                yield start

    def _refine(self, groups: Integers, bar: float) -> Finding:
        """Truth from groups and groups from truth, until groups come back."""
        seen = {groups.tobytes()}
        look = self._look(groups, bar)
        for rounds in range(1, self.rules.max_rounds + 1):
            following = self._groups(look, bar)
            if (following == look.view.groups).all():
                return Finding(look, rounds, StopReason.CONVERGED)
            look = self._look(following, bar)
            if following.tobytes() in seen:
                return Finding(look, rounds, StopReason.OSCILLATING)
            seen.add(following.tobytes())
        return Finding(look, self.rules.max_rounds, StopReason.ROUND_LIMIT)

    def _look(self, groups: Integers, bar: float) -> Look:
        kept = group_votes(self.votes, groups)
        return self._compared(groups, kept, by_reliability(self.counted.ballots, kept), bar)

    def _compared(self, groups: Integers, kept: GroupVotes, truth: Truth, bar: float) -> Look:
        view = View.of(groups, kept, truth)
        comparison = compare(self.counted, view)
        return Look(view, kept, comparison, comparison.log_odds(bar, self.prior))

    def _groups(self, look: Look, bar: float) -> Integers:
        comparison = look.comparison
        share = np.where(comparison.known >= _LEAST_KNOWN, comparison.share, np.nan)
        linked = np.flatnonzero(look.log_odds > self.rules.least_log_odds)
        return grouped(self.votes.source_count, self.counted.pairs, linked, share, bar)


def _each_alone(suspected: Integers, blatant: Integers) -> Iterator[Integers]:
    """The largest suspected groups, one at a time, with the blatant ones beside it."""
    size = np.bincount(suspected)
    for group in np.argsort(-size, kind="stable")[:_SUSPECTED_ALONE]:
        if size[group] > 1:
            yield in_order(np.where(suspected == group, blatant.size, blatant))
