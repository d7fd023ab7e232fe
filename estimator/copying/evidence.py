"""Pairwise evidence: how strongly the wrong answers of two sources say that one copied the other."""

from dataclasses import dataclass

import numpy as np

from estimator.arrays.types import Flags, Floats, Integers
from estimator.copying.collapse import GroupVotes
from estimator.copying.layout import QueryClasses, SourceVotes
from estimator.copying.pairs import Incidence, Pairs, blocks
from estimator.copying.truth import Truth

# An answer that is right with more than 98 % is hardly evidence of copying; leaving it out spares most of the work.
_LEAST_WRONG = 0.02
# Pseudo-votes for other answers beside those of a query's other groups, in the popularity of a wrong answer.
_PSEUDO_VOTES = 1.0
# Copied shares are averaged over this many steps on each side of the threshold.
_STEPS = 40
_PAIRS_AT_ONCE = 20_000
# With more labels than this, no source gives one of them so often that it would explain much.
_MOST_LABELS = 6


@dataclass(frozen=True, slots=True, eq=False)
class SharedErrors:
    """Of one source's wrong answers on queries that the other source votes on too: (P,) expected counts."""

    wrong: Floats
    """All of them."""
    shared: Floats
    """Those that the other gives too."""
    expected: Floats
    """Those that the other would give too if it were independent."""

    @property
    def copied_share(self) -> Floats:
        """(P,) share copied, beyond what would be the same anyway; 0 without evidence."""
        room = np.maximum(self.wrong - self.expected, 1e-9)
        share: Floats = (self.shared - self.expected) / room
        return np.where(self.wrong > self.expected, share, 0.0).clip(0.0, 1.0)

    def log_odds(self, threshold: float, prior: Floats) -> Floats:
        """(P,) log odds that more than `threshold` of the wrong answers are copied, for prior log odds (P,).

        A wrong answer is repeated with probability `e + (1 - e) r`, where e is the expected share; r is uniform over
        (threshold, 1) if the source copies, else it is 0, or, as rarely as copying, anything up to `threshold`, so that
        no amount of weak similarity adds up to a copy. Minus infinity where not even the shared answers alone could
        tell, or the share itself is below the threshold; the prior where there is no evidence and the prior is
        positive.
        """
        log_odds = np.where((self.wrong == 0) & (prior > 0), prior, -np.inf)
        most = prior - self.shared * np.log(np.clip(self.expected / np.maximum(self.wrong, 1e-9), 1e-6, 1.0))
        above = (self.copied_share > threshold) & (most > 0)
        informative = np.flatnonzero((self.shared > 0) & (above | (prior > 0)))
        for block in blocks(np.ones(informative.size), _PAIRS_AT_ONCE):
            chosen = informative[block]
            log_odds[chosen] = self._log_odds(chosen, threshold, prior[chosen])
        return log_odds

    def _log_odds(self, chosen: Integers, threshold: float, prior: Floats) -> Floats:
        shared, not_shared = self.shared[chosen], (self.wrong - self.shared)[chosen]
        expected_share = np.clip(self.expected[chosen] / self.wrong[chosen], 1e-6, 1 - 1e-6)
        step = (np.arange(_STEPS) + 0.5) / _STEPS

        def log_likelihood(copied: Floats) -> Floats:
            repeated = expected_share[:, None] + (1 - expected_share[:, None]) * copied
            terms = shared[:, None] * np.log(repeated) + not_shared[:, None] * np.log(np.maximum(1 - repeated, 1e-9))
            mean: Floats = np.logaddexp.reduce(terms, axis=1) - np.log(copied.size)
            return mean

        much, little = log_likelihood(threshold + (1 - threshold) * step), log_likelihood(threshold * step)
        none = log_likelihood(np.zeros(1))
        log_odds: Floats = prior + much - np.logaddexp(none, np.minimum(prior, 0.0) + little)
        return log_odds


@dataclass(frozen=True, slots=True, eq=False)
class PairEvidence:
    """Both directions for P pairs."""

    of_first: SharedErrors
    """What the second has of the first's wrong answers."""
    of_second: SharedErrors
    """What the first has of the second's wrong answers."""

    @property
    def copied_share(self) -> Floats:
        """(P,) the larger share: a copier with errors of its own is recognised by its original's errors."""
        return np.maximum(self.of_first.copied_share, self.of_second.copied_share)

    @property
    def wrong(self) -> Floats:
        """(P,) wrong answers of the source that has more."""
        return np.maximum(self.of_first.wrong, self.of_second.wrong)

    def log_odds(self, threshold: float, prior: Floats) -> Floats:
        """(P,) of the likelier direction."""
        return np.maximum(self.of_first.log_odds(threshold, prior), self.of_second.log_odds(threshold, prior))


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """What pairs are compared under: the copy groups, which answers are right, and how many groups vote for what."""

    groups: Integers
    """(N,)"""
    truth: Truth
    support: Floats
    """(C,) groups behind every class; what many groups answer is a common error and no evidence of copying."""

    @classmethod
    def of(cls, groups: Integers, collapsed: GroupVotes, truth: Truth) -> "Hypothesis":
        """With the support of the groups' votes."""
        return cls(groups, truth, collapsed.support(truth.right.size))


@dataclass(frozen=True, slots=True, eq=False)
class PairTables:
    """The pairs, and the votes laid out for comparing them; the same for every hypothesis."""

    source_votes: SourceVotes
    classes: QueryClasses
    pairs: Pairs
    voted_for: Incidence
    """Classes that sources vote for."""
    voted_on: Incidence
    """Queries that they vote on."""

    @classmethod
    def of(cls, source_votes: SourceVotes, classes: QueryClasses, pairs: Pairs) -> "PairTables":
        """Lay out the tables."""
        ones = np.ones(source_votes.vote_class.size)
        voted_for, voted_on = source_votes.by_class(ones), source_votes.by_query(ones)
        return cls(source_votes, classes, pairs, Incidence.of(voted_for), Incidence.of(voted_on))


def compare(tables: PairTables, hypothesis: Hypothesis) -> PairEvidence:
    """Count wrong answers and shared ones, each with the probability that it is wrong, and what to expect.

    Groups outside the pair tell how popular a wrong answer is (popularity of false values as in Dong, Saha & Srivastava
    2013): j is expected to repeat an error of i with probability `(m + e_j q s) / (t + s)`, where m of t other groups
    repeat it, e_j is the error rate of j, q the coincidence of two errors and s the pseudo-votes. Where all queries
    share a few labels, it is as often as j gives that label wrongly anyway, if that is more: sources that answer yes to
    everything need not copy each other.
    """
    source_votes, pairs, truth = tables.source_votes, tables.pairs, hypothesis.truth
    doubted = source_votes.subset(truth.right[source_votes.vote_class] < 1 - _LEAST_WRONG)
    wrong = 1 - truth.right[doubted.vote_class]
    chance, popular = _expected(tables, hypothesis, doubted, wrong)
    wrong_sums = tables.voted_on.sums(doubted.by_query(wrong), pairs)
    shared_sums = tables.voted_for.sums(doubted.by_class(wrong), pairs)
    source_count = source_votes.votes.source_count
    right = np.bincount(source_votes.source, truth.right[source_votes.vote_class], minlength=source_count)
    error_rate = 1 - (right + 1) / (np.diff(source_votes.start) + 2)
    habitual = _habitual(tables, hypothesis, doubted, wrong)

    def shared_errors(side: int, other: Integers) -> SharedErrors:
        total, shared = wrong_sums[side], shared_sums[side]
        expected = popular[side] + chance[side] * error_rate[other] * truth.coincidence
        expected = np.maximum(expected, habitual[side])
        return SharedErrors(total, np.minimum(shared, total), np.minimum(expected, total))

    return PairEvidence(shared_errors(0, pairs.second), shared_errors(1, pairs.first))


def _expected(
    tables: PairTables, hypothesis: Hypothesis, doubted: SourceVotes, wrong: Floats
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """For both directions, (P,) the factor of the chance of a coincidence, and (P,) what popularity explains."""
    pairs, classes = tables.pairs, tables.classes
    others = np.maximum(classes.total(hypothesis.support) - 2, 0.0)[classes.row]
    weight = wrong / (others + _PSEUDO_VOTES)[doubted.vote_class]
    elsewhere = np.maximum(hypothesis.support[doubted.vote_class] - 1, 0.0)
    popularity = tables.voted_on.sums(doubted.by_query(weight * elsewhere), pairs)
    own = tables.voted_for.sums(doubted.by_class(weight), pairs)
    chance = tables.voted_on.sums(doubted.by_query(weight * _PSEUDO_VOTES), pairs)
    separate = hypothesis.groups[pairs.first] != hypothesis.groups[pairs.second]
    popular = [np.maximum(popularity[side] - separate * own[side], 0.0) for side in (0, 1)]
    return chance, (popular[0], popular[1])


def _habitual(tables: PairTables, hypothesis: Hypothesis, doubted: SourceVotes, wrong: Floats) -> tuple[Floats, Floats]:
    """For both directions, (P,) wrong answers that the other repeats because it gives that label wrongly so often."""
    pairs, votes = tables.pairs, tables.source_votes.votes
    total = (np.zeros(pairs.size), np.zeros(pairs.size))
    labels = np.unique(votes.class_answer)
    if labels.size > _MOST_LABELS:
        return total
    class_label = np.searchsorted(labels, votes.class_answer)
    for label in range(labels.size):
        rate = _wrong_rate(tables, hypothesis, class_label == label, 1 / labels.size)
        sums = tables.voted_on.sums(doubted.by_query(wrong * (class_label[doubted.vote_class] == label)), pairs)
        for side, other in enumerate((pairs.second, pairs.first)):
            total[side][:] += sums[side] * rate[other]
    return total


def _wrong_rate(tables: PairTables, hypothesis: Hypothesis, has_label: Flags, by_chance: float) -> Floats:
    """(N,) how often a source gives a label, the classes flagged in `has_label` (C,), to a query whose answer is
    another; shrunk towards `by_chance`, the share of a label by chance, by one pseudo-vote.
    """
    source_votes, right = tables.source_votes, hypothesis.truth.right
    is_answer = tables.classes.total(np.where(has_label, right, 0.0))
    other = 1 - is_answer[tables.classes.row[source_votes.vote_class]]
    source_count = source_votes.votes.source_count
    given = np.bincount(source_votes.source, other * has_label[source_votes.vote_class], minlength=source_count)
    votes = np.bincount(source_votes.source, other, minlength=source_count)
    rate: Floats = (given + by_chance) / (votes + 1)
    return rate
