"""Sources that copy, found from votes: groups that count once, and the evidence for them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from estimator.copying.collapse import vote_shares
from estimator.copying.direction import published, ranks, second_copied
from estimator.copying.evidence import Counted
from estimator.copying.judge import Finding
from estimator.copying.layout import Ballots, Floats, Roll, class_of_votes, disputed
from estimator.copying.pairs import Pairs, candidates
from estimator.copying.search import CopyRules, Search
from estimator.copying.witness import Witness, with_witness
from estimator.policies import StopReason
from estimator.votes import Integers, VoteMatrix, read_only

_MOST_VOTES = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class PairEvidence:
    """Pairs of sources that more likely copy than not, strongest first: P' parallel, read-only arrays.

    Counts are soft: an answer counts as far as it is doubted.
    """

    first: Integers
    second: Integers
    """Above `first`."""
    shared_wrong: Floats
    """Wrong answers that both give."""
    first_wrong: Floats
    """Wrong answers of the first on queries that both vote on."""
    second_wrong: Floats
    expected: Floats
    """Wrong answers that both would give if they did not know of each other, in the telling direction."""
    copied_share: Floats
    """Share of the one's wrong answers that the other has from it, beyond the expected."""
    log_odds: Floats
    """That at least `CopyRules.copied_share` is copied, or `loose_share` where a loose look tells more."""
    second_copied: Floats
    """Log odds that the second took from the first and not the reverse; NaN where times do not tell."""


@dataclass(frozen=True, slots=True, eq=False)
class Dependence:
    """Which of N sources are one voice. All arrays are read-only."""

    groups: Integers
    """(N,) label of the source's group, from 0, numbered by the first member; most sources are alone."""
    group_count: int
    """G: independent voices."""
    discount: Floats
    """(N,) what a vote of the source counts on average if a group counts once on a query; 1 for one without votes."""
    evidence: PairEvidence
    coincidence: float
    """Chance that two independent wrong answers to one query are the same."""
    pairs_compared: int
    rounds: int
    stop_reason: StopReason

    @property
    def group_size(self) -> Integers:
        """(N,) members of the source's group, itself included."""
        size: Integers = np.bincount(self.groups, minlength=1)[self.groups]
        return size


def find_copies(
    votes: VoteMatrix,
    *,
    time: ArrayLike | None = None,
    witness: Witness | None = None,
    rules: CopyRules | None = None,
) -> Dependence:
    """Find the sources that copy each other: they share wrong answers that independent sources would not share.

    Copying as in Dong, Berti-Equille and Srivastava (VLDB 2009), whose evidence are shared false values; popularity
    of false values as in Dong, Saha and Srivastava (VLDB 2013). Unlike there, right answers are no evidence at all
    (easy queries make honest sources agree), and what decides is the share that is copied, not the number of
    coincidences (which grows without end with the votes).

    `time` (V,) is when each vote was published, in the order of `votes.triples()`, NaN if unknown; it gives evidence a
    direction. `witness` are pairs suspected for other reasons, such as near-duplicate passages. Raises EstimatorError
    where they do not fit the votes.

    Looks only at queries to which different answers were given, since what nobody disputes tells nothing of who
    copies, and where those have more than some two million votes, at a part of them: no more than seconds are spent.
    """
    rules = rules or CopyRules()
    times = None if time is None else published(votes, time)
    contested, classes = disputed(votes, _MOST_VOTES)
    if not contested.vote_count:
        return _independent(votes, 0)
    roll = Roll.of(contested)
    ballots = Ballots.of(contested)
    pairs, added = with_witness(candidates(roll, ballots), witness, votes.source_count)
    if not pairs.size:
        return _independent(votes, 0)
    search = Search.of(Counted.of(roll, ballots, pairs), added, rules)
    return _result(
        votes, search, search.run(), None if times is None else ranks(roll, times[classes[class_of_votes(votes)]])
    )


def _independent(votes: VoteMatrix, pairs_compared: int) -> Dependence:
    nobody, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
    return Dependence(
        groups=read_only(np.arange(votes.source_count)),
        group_count=votes.source_count,
        discount=read_only(np.ones(votes.source_count)),
        evidence=PairEvidence(nobody, nobody, nothing, nothing, nothing, nothing, nothing, nothing, nothing),
        coincidence=0.0,
        pairs_compared=pairs_compared,
        rounds=0,
        stop_reason=StopReason.CONVERGED if votes.vote_count else StopReason.NO_VOTES,
    )


def _result(votes: VoteMatrix, search: Search, finding: Finding, rank: Floats | None) -> Dependence:
    groups = finding.groups
    return Dependence(
        groups=read_only(groups),
        group_count=int(groups.max()) + 1,
        discount=read_only(_discount(votes, groups)),
        evidence=_evidence(search, finding, rank),
        coincidence=finding.look.view.truth.coincidence,
        pairs_compared=search.counted.pairs.size,
        rounds=finding.rounds,
        stop_reason=finding.stop_reason,
    )


def _discount(votes: VoteMatrix, groups: Integers) -> Floats:
    counted = np.bincount(votes.source, vote_shares(votes, groups), minlength=votes.source_count)
    cast = np.bincount(votes.source, minlength=votes.source_count)
    return np.divide(counted, cast, out=np.ones(votes.source_count), where=cast > 0)


def _evidence(search: Search, finding: Finding, rank: Floats | None) -> PairEvidence:
    log_odds, found = finding.look.log_odds, finding.look.comparison
    likely = np.flatnonzero(log_odds > 0)
    likely = likely[np.argsort(-log_odds[likely], kind="stable")]
    pairs = search.counted.pairs.take(likely)
    forward = found.from_first.share >= found.from_second.share
    expected = np.where(forward, found.from_first.expected, found.from_second.expected)
    columns = (
        found.from_first.shared,
        found.from_first.wrong,
        found.from_second.wrong,
        expected,
        found.share,
        log_odds,
    )
    shared, first_wrong, second_wrong, expected, share, odds = (read_only(column[likely]) for column in columns)
    return PairEvidence(
        first=read_only(pairs.first),
        second=read_only(pairs.second),
        shared_wrong=shared,
        first_wrong=first_wrong,
        second_wrong=second_wrong,
        expected=expected,
        copied_share=share,
        log_odds=odds,
        second_copied=read_only(_directions(search, finding, pairs, rank)),
    )


def _directions(search: Search, finding: Finding, pairs: Pairs, rank: Floats | None) -> Floats:
    if rank is None or not pairs.size:
        return np.full(pairs.size, np.nan)
    doubt = 1 - finding.look.view.truth.chance[search.counted.roll.klass]
    return second_copied(search.counted.roll, pairs, doubt, rank)
