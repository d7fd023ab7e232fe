"""Copy detection: groups of sources that copy each other, and the evidence of every pair."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.types import Floats, Integers, read_only
from estimator.copying.direction import second_copied, time_ranks, vote_times
from estimator.copying.evidence import PairTables
from estimator.copying.layout import QueryClasses, SourceVotes, disputed
from estimator.copying.pairs import Pairs, candidate_pairs
from estimator.copying.partitions import Candidate
from estimator.copying.prior_evidence import PriorEvidence, add_prior_evidence
from estimator.copying.search import CopyRules, Search
from estimator.policies import StopReason
from estimator.votes import VoteMatrix

_MOST_VOTES: Final = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class CopyLinks:
    """Pairs of sources that copy with log odds above 0, strongest first: parallel read-only arrays (L,).

    Counts are expectations: a vote counts with the probability that it is wrong.
    """

    first: Integers
    second: Integers
    """Above `first`."""
    shared_wrong: Floats
    """Wrong answers that both give."""
    expected: Floats
    """Wrong answers that both would give if they were independent, in the direction with the larger share."""
    copied_share: Floats
    """Share of one source's wrong answers that the other has copied, beyond the expected."""
    log_odds: Floats
    """That at least `CopyRules.copied_share` is copied, or `loose_share` where looser groups explain more."""
    second_copied: Floats
    """Log odds that the second copied the first and not the reverse; NaN where times do not tell."""


@dataclass(frozen=True, slots=True, eq=False)
class CopyDetection:
    """Which of N sources copy each other. All arrays are read-only; see `find_copies` for an example.

    >>> from estimator import VoteMatrix
    >>> votes = VoteMatrix.from_triples([0, 0], [0, 1], [4, 9], query_count=1, source_count=2)
    >>> find_copies(votes).groups.tolist()
    [0, 1]
    """

    groups: Integers
    """(N,) label of the source's copy group, from 0, numbered by the first member; most sources are alone."""
    group_count: int
    """G."""
    links: CopyLinks
    pairs_compared: int
    rounds: int
    stop_reason: StopReason


def find_copies(
    votes: VoteMatrix,
    *,
    time: ArrayLike | None = None,
    prior_evidence: PriorEvidence | None = None,
    rules: CopyRules | None = None,
) -> CopyDetection:
    """Find the sources that copy each other: they share wrong answers that independent sources would not share.

    Copy detection as in Dong, Berti-Equille & Srivastava 2009 (doi:10.14778/1687627.1687690), whose evidence is shared
    false values; popularity of false values as in Dong, Saha & Srivastava 2013. Unlike there, right answers are no
    evidence at all (easy queries make honest sources agree), and the criterion is the share that is copied, not the
    number of coincidences (which grows without bound with the votes).

    `time` (V,) is when each vote was published, in the order of `votes.triples()`, NaN if unknown; it gives evidence a
    direction. `prior_evidence` is about pairs suspected for other reasons, such as near-duplicate passages. Raises
    EstimatorError where they do not fit the votes.

    Uses only queries to which different answers were given, since unanimous ones are no evidence of copying, and where
    those have more than two million votes, a part of them, which bounds its time.

    >>> from estimator.copying.synthetic import CopyScenario, draw_copies
    >>> scenario = CopyScenario((0.75,) * 5 + (0.35,) * 3, (1.0,) * 8, copies=(-1,) * 6 + (5, 5))
    >>> find_copies(draw_copies(scenario, np.random.default_rng(0)).votes).groups.tolist()
    [0, 1, 2, 3, 4, 5, 5, 5]
    """
    times = None if time is None else vote_times(votes, time)
    disputed_votes, class_kept = disputed(votes, _MOST_VOTES)
    if not disputed_votes.vote_count:
        return _independent(votes)
    source_votes, classes = SourceVotes.of(disputed_votes), QueryClasses.of(disputed_votes)
    candidates = candidate_pairs(source_votes, classes)
    pairs, prior_log_odds = add_prior_evidence(candidates, prior_evidence, votes.source_count)
    if not pairs.size:
        return _independent(votes)
    tables = PairTables.of(source_votes, classes, pairs)
    found = Search.of(tables, prior_log_odds, rules or CopyRules()).run()
    rank = None if times is None else time_ranks(source_votes, times[class_kept[votes.vote_class]])
    return CopyDetection(
        groups=read_only(found.groups),
        group_count=int(found.groups.max()) + 1,
        links=_links(tables, found, rank),
        pairs_compared=pairs.size,
        rounds=found.rounds,
        stop_reason=found.stop_reason,
    )


def _independent(votes: VoteMatrix) -> CopyDetection:
    no_sources, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
    return CopyDetection(
        groups=read_only(np.arange(votes.source_count)),
        group_count=votes.source_count,
        links=CopyLinks(no_sources, no_sources, nothing, nothing, nothing, nothing, nothing),
        pairs_compared=0,
        rounds=0,
        stop_reason=StopReason.CONVERGED if votes.vote_count else StopReason.NO_VOTES,
    )


def _links(tables: PairTables, found: Candidate, rank: Floats | None) -> CopyLinks:
    log_odds, evidence = found.evidence.log_odds, found.evidence.pairs
    likely = np.flatnonzero(log_odds > 0)
    likely = likely[np.argsort(-log_odds[likely], kind="stable")]
    pairs = tables.pairs.take(likely)
    from_first = evidence.of_first.copied_share >= evidence.of_second.copied_share
    expected = np.where(from_first, evidence.of_first.expected, evidence.of_second.expected)
    return CopyLinks(
        first=read_only(pairs.first),
        second=read_only(pairs.second),
        shared_wrong=read_only(evidence.of_first.shared[likely]),
        expected=read_only(expected[likely]),
        copied_share=read_only(evidence.copied_share[likely]),
        log_odds=read_only(log_odds[likely]),
        second_copied=read_only(_directions(tables, found, pairs, rank)),
    )


def _directions(tables: PairTables, found: Candidate, pairs: Pairs, rank: Floats | None) -> Floats:
    if rank is None or not pairs.size:
        return np.full(pairs.size, np.nan)
    wrong = 1 - found.evidence.hypothesis.truth.right[tables.source_votes.vote_class]
    return second_copied(tables.source_votes, pairs, wrong, rank)
