"""Finding the sources that copy: truth and dependence, each estimated from the other until they agree."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from estimator.dependence.collapse import GroupVotes, group_votes
from estimator.dependence.evidence import Comparison, Counted, View, compare
from estimator.dependence.grouping import chained, grouped, in_order
from estimator.dependence.layout import Floats
from estimator.dependence.likelihood import log_likelihood
from estimator.dependence.truth import by_reliability, by_share
from estimator.errors import EstimatorError
from estimator.policies import StopReason
from estimator.votes import Integers, VoteMatrix

# A pair whose likeness rests on fewer wrong answers than this neither joins a group nor parts it.
_LEAST_KNOWN = 2.0
# Of the groups suspected in one start, the largest that are also tried alone.
_SUSPECTED_ALONE = 2


@dataclass(frozen=True, slots=True)
class CopyRules:
    """When likeness is called a copy. The shares and the gain were set on drawn votes (benchmarks/copies.py)."""

    copied_share: float = 0.5
    """Share of wrong answers taken over above which sources make a group. An error that more than half of all
    independent sources share is taken for the truth, so that fashions alone seldom reach it."""
    least_log_odds: float = 3.0
    """Log odds (20 to 1) a link needs, after prior odds of one copying pair among all pairs."""
    blatant_share: float = 0.95
    """Sources as alike as this start in one group, until what they share turns out right: copies are exact, and
    observers are not."""
    suspected_share: float = 0.65
    """Sources as alike as this start in one group in another attempt, which has to explain the votes better."""
    least_gain: float = 0.3
    """By how many nats on each disputed query: what is simpler than the world, as every story is, errs with each."""
    max_rounds: int = 20

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        if not 0 < self.copied_share <= self.suspected_share <= self.blatant_share < 1 or self.max_rounds < 1:
            message = "shares must rise from copied_share to blatant_share between 0 and 1, and max_rounds be 1 or more"
            raise EstimatorError(message)


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


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """The votes to search in, laid out once."""

    counted: Counted
    prior: Floats
    """(P,) log odds of copying before any vote is seen."""
    rules: CopyRules

    @property
    def votes(self) -> VoteMatrix:
        """The votes themselves."""
        return self.counted.roll.votes

    def run(self) -> Finding:
        """Refine the blatant copies, then every other start; the first stands unless another explains far more."""
        starts = self._starts()
        best = self._refine(next(starts))
        disputed = float((self.counted.ballots.rivals > 1).sum())
        bar: float | None = None
        for start in starts:
            if bar is None:
                bar = self._likelihood(best) + self.rules.least_gain * disputed
            other = self._refine(start)
            explained = self._likelihood(other)
            if explained > bar:
                best, bar = other, explained
        return best

    def _likelihood(self, finding: Finding) -> float:
        look = finding.look
        return log_likelihood(self.votes, self.counted.ballots, look.view.groups, look.kept, look.view.truth)

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

    def _refine(self, groups: Integers) -> Finding:
        """Truth from groups and groups from truth, until groups come back."""
        seen = {groups.tobytes()}
        look = self._look(groups)
        for rounds in range(1, self.rules.max_rounds + 1):
            following = self._groups(look)
            if (following == look.view.groups).all():
                return Finding(look, rounds, StopReason.CONVERGED)
            look = self._look(following)
            if following.tobytes() in seen:
                return Finding(look, rounds, StopReason.OSCILLATING)
            seen.add(following.tobytes())
        return Finding(look, self.rules.max_rounds, StopReason.ROUND_LIMIT)

    def _look(self, groups: Integers) -> Look:
        kept = group_votes(self.votes, groups)
        view = View.of(groups, kept, by_reliability(self.counted.ballots, kept))
        comparison = compare(self.counted, view)
        return Look(view, kept, comparison, comparison.log_odds(self.rules.copied_share, self.prior))

    def _groups(self, look: Look) -> Integers:
        comparison = look.comparison
        share = np.where(comparison.known >= _LEAST_KNOWN, comparison.share, np.nan)
        linked = np.flatnonzero(look.log_odds > self.rules.least_log_odds)
        return grouped(self.votes.source_count, self.counted.pairs, linked, share, self.rules.copied_share)


def _each_alone(suspected: Integers, blatant: Integers) -> Iterator[Integers]:
    """The largest suspected groups, one at a time, with the blatant ones beside it."""
    size = np.bincount(suspected)
    for group in np.argsort(-size, kind="stable")[:_SUSPECTED_ALONE]:
        if size[group] > 1:
            yield in_order(np.where(suspected == group, blatant.size, blatant))
