"""How strongly the wrong answers of two sources say that one took them from the other."""

from dataclasses import dataclass

import numpy as np

from estimator.copying.collapse import GroupVotes
from estimator.copying.layout import Ballots, Flags, Floats, Roll
from estimator.copying.pairs import Incidence, Pairs, blocks
from estimator.copying.truth import Truth
from estimator.votes import Integers

# An answer that is right with more than 98 % says nothing of who copies; leaving it out spares most of the work.
_LEAST_DOUBT = 0.02
# How many imagined votes for anything else stand beside those of a query's other groups, for its fashions.
_IMAGINED_VOTES = 1.0
# Shares taken over are averaged over this many steps on each side of the bar.
_STEPS = 40
_PAIRS_AT_ONCE = 20_000
# With more labels than this nobody gives one of them so often that it would explain much.
_MOST_LABELS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """Of one source's wrong answers, on queries that the other source votes on too: (P,) soft counts."""

    wrong: Floats
    """All of them."""
    shared: Floats
    """Those that the other gives too."""
    expected: Floats
    """Those that it would give without knowing of this source."""

    @property
    def share(self) -> Floats:
        """(P,) taken over, beyond what would be the same anyway; 0 where nothing is known."""
        room = np.maximum(self.wrong - self.expected, 1e-9)
        beyond: Floats = (self.shared - self.expected) / room
        return np.where(self.wrong > self.expected, beyond, 0.0).clip(0.0, 1.0)

    def log_odds(self, bar: float, prior: Floats) -> Floats:
        """(P,) log odds that more than `bar` of the wrong answers are taken over, for prior log odds (P,).

        A wrong answer is met again with chance `e + (1 - e) r`, e being what is expected; r is spread evenly over
        (bar, 1) if the source copies, else it is 0, or, as rarely as copying, anything up to `bar`, so that no amount
        of weak likeness adds up to a copy. Minus infinity where not even the shared answers alone could tell, or the
        share itself is below the bar; the prior where nothing is known and the prior is for copying.
        """
        odds = np.where((self.wrong == 0) & (prior > 0), prior, -np.inf)
        most = prior - self.shared * np.log(np.clip(self.expected / np.maximum(self.wrong, 1e-9), 1e-6, 1.0))
        telling = np.flatnonzero((self.shared > 0) & ((self.share > bar) & (most > 0) | (prior > 0)))
        for block in blocks(np.ones(telling.size), _PAIRS_AT_ONCE):
            chosen = telling[block]
            odds[chosen] = self._log_odds(chosen, bar, prior[chosen])
        return odds

    def _log_odds(self, chosen: Integers, bar: float, prior: Floats) -> Floats:
        shared, missed = self.shared[chosen], (self.wrong - self.shared)[chosen]
        by_chance = np.clip(self.expected[chosen] / self.wrong[chosen], 1e-6, 1 - 1e-6)
        step = (np.arange(_STEPS) + 0.5) / _STEPS

        def likelihood(share: Floats) -> Floats:
            again = by_chance[:, None] + (1 - by_chance[:, None]) * share
            each = shared[:, None] * np.log(again) + missed[:, None] * np.log(np.maximum(1 - again, 1e-9))
            mean: Floats = np.logaddexp.reduce(each, axis=1) - np.log(share.size)
            return mean

        much, little, none = likelihood(bar + (1 - bar) * step), likelihood(bar * step), likelihood(np.zeros(1))
        odds: Floats = prior + much - np.logaddexp(none, np.minimum(prior, 0.0) + little)
        return odds


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Both directions for P pairs: what the second has of the first's wrong answers, and the first of the second's."""

    from_first: Taken
    from_second: Taken

    @property
    def share(self) -> Floats:
        """(P,) the larger share: a copier with errors of its own is known by its original's errors."""
        return np.maximum(self.from_first.share, self.from_second.share)

    @property
    def known(self) -> Floats:
        """(P,) wrong answers behind `share`, in the direction that has more."""
        return np.maximum(self.from_first.wrong, self.from_second.wrong)

    def log_odds(self, bar: float, prior: Floats) -> Floats:
        """(P,) of the likelier direction."""
        return np.maximum(self.from_first.log_odds(bar, prior), self.from_second.log_odds(bar, prior))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What pairs are compared under: who is a group, what is true, and how many groups vote for what."""

    groups: Integers
    truth: Truth
    support: Floats
    """(C,) groups behind every class; what many groups say is a common error and no sign of copying."""

    @classmethod
    def of(cls, groups: Integers, kept: GroupVotes, truth: Truth) -> "View":
        """With the votes of the groups as fashions."""
        return cls(groups, truth, kept.support(truth.chance.size))


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The pairs and the tables they are counted in, the same for every view."""

    roll: Roll
    ballots: Ballots
    pairs: Pairs
    said: Incidence
    """Classes that sources vote for."""
    asked: Incidence
    """Queries that they vote on."""

    @classmethod
    def of(cls, roll: Roll, ballots: Ballots, pairs: Pairs) -> "Counted":
        """Lay out the tables."""
        ones = np.ones(roll.klass.size)
        return cls(roll, ballots, pairs, Incidence.of(roll.by_class(ones)), Incidence.of(roll.by_query(ones)))


def compare(counted: Counted, view: View) -> Comparison:
    """Count wrong answers and shared ones, both weighed by the doubt about them, and what to expect.

    A source outside the pair's groups counts as a witness of how popular a wrong answer is: j is expected to repeat
    an error of i with chance `(m + e_j q s) / (t + s)`, where m of t other groups repeat it too, e_j is how often j
    errs, q how often two errors coincide and s the imagined votes. Where all queries share a few labels, it is as often
    as j gives that label wrongly anyway, if that is more: two who say yes to everything need not know of each other.
    """
    roll, pairs = counted.roll, counted.pairs
    doubted = roll.only(view.truth.chance[roll.klass] < 1 - _LEAST_DOUBT)
    doubt = 1 - view.truth.chance[doubted.klass]
    luck, popular = _expected(counted, view, doubted, doubt)
    wrong = counted.asked.sums(doubted.by_query(doubt), pairs)
    shared = counted.said.sums(doubted.by_class(doubt), pairs)
    right = np.bincount(roll.source, view.truth.chance[roll.klass], minlength=roll.votes.source_count)
    errs = 1 - (right + 1) / (np.diff(roll.start) + 2)
    habit = _habits(counted, view, doubted, doubt)

    def taken(side: int, other: Integers) -> Taken:
        expected = np.maximum(popular[side] + luck[side] * errs[other] * view.truth.coincidence, habit[side])
        return Taken(wrong[side], np.minimum(shared[side], wrong[side]), np.minimum(expected, wrong[side]))

    return Comparison(taken(0, pairs.second), taken(1, pairs.first))


def _expected(
    counted: Counted, view: View, doubted: Roll, doubt: Floats
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """For both directions, (P,) what multiplies the chance of a coincidence, and (P,) what popularity explains."""
    pairs, ballots = counted.pairs, counted.ballots
    others = np.maximum(ballots.total(view.support) - 2, 0.0)[ballots.row]
    weighed = doubt / (others + _IMAGINED_VOTES)[doubted.klass]
    elsewhere = np.maximum(view.support[doubted.klass] - 1, 0.0)
    fashion = counted.asked.sums(doubted.by_query(weighed * elsewhere), pairs)
    own = counted.said.sums(doubted.by_class(weighed), pairs)
    luck = counted.asked.sums(doubted.by_query(weighed * _IMAGINED_VOTES), pairs)
    strangers = view.groups[pairs.first] != view.groups[pairs.second]
    popular = [np.maximum(fashion[side] - strangers * own[side], 0.0) for side in (0, 1)]
    return luck, (popular[0], popular[1])


def _habits(counted: Counted, view: View, doubted: Roll, doubt: Floats) -> tuple[Floats, Floats]:
    """For both directions, (P,) wrong answers that the other gives too because it gives that label wrongly so often."""
    pairs, roll = counted.pairs, counted.roll
    total = (np.zeros(pairs.size), np.zeros(pairs.size))
    names = np.unique(roll.votes.class_answer)
    if names.size > _MOST_LABELS:
        return total
    label = np.searchsorted(names, roll.votes.class_answer)
    for one in range(names.size):
        rate = _wrongly(counted, view, label == one, 1 / names.size)
        sums = counted.asked.sums(doubted.by_query(doubt * (label[doubted.klass] == one)), pairs)
        for side, other in enumerate((pairs.second, pairs.first)):
            total[side][:] += sums[side] * rate[other]
    return total


def _wrongly(counted: Counted, view: View, named: Flags, blind: float) -> Floats:
    """(N,) how often a source gives a label, the classes (C,) `named`, to a query whose answer is another; drawn
    towards `blind`, the share of a label by chance, by one imagined vote.
    """
    roll, chance = counted.roll, view.truth.chance
    true = counted.ballots.total(np.where(named, chance, 0.0))
    other = 1 - true[counted.ballots.row[roll.klass]]
    given = np.bincount(roll.source, other * named[roll.klass], minlength=roll.votes.source_count)
    asked = np.bincount(roll.source, other, minlength=roll.votes.source_count)
    rate: Floats = (given + blind) / (asked + 1)
    return rate
