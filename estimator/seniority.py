"""Seniority: sources that came later and turn most of what the older ones say count as one where they do.

Sources that lie together everywhere and outnumber those that err apart explain the votes better than these: no votes
tell which of both is honest. When they came does, if the honest ones were there before. So the older half of the
sources is asked by itself. It says how probably each answer of its own is right, and so how many of them better sources
that come later may turn: of weak sources many, of thirty good ones nearly none. Honest newcomers turn about as many.
Where far more are turned, the newer ones are pooled there, as one source that is right as often as the older ones doubt
what they say themselves, and named; a few gold answers on these queries decide otherwise, as the older ones are judged
by them too. Whoever was there first gains by it, also a liar.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from scipy.special import xlogy

from estimator.arrays.types import Flags, Floats, Integers
from estimator.joint_dissent import MOST_VOTES, FoundDissent
from estimator.result import Estimate
from estimator.votes import VoteMatrix

FEWEST_SOURCES: Final = 9
"""Fewest older sources: the fewer there are, the cheaper it is to be there first. With five, five liars who came before
nine honest sources win; with 18, nobody is old in a corpus of thirty (benchmarks/notes/poisoning.md)."""
FEWEST_QUERIES: Final = 60
"""Fewest queries on which two of the older sources vote."""
LARGEST_TURNED: Final = 0.3
"""Largest share of the older answers that newer sources turn, beyond twice what the older ones doubt. Liars who win
everywhere turn more than 0.9 beyond it and honest newcomers at most 0.1 (benchmarks/notes/poisoning.md), so that half
and double decide alike."""
LEAST_FOLLOWED: Final = 1 / 3
"""Least share of the votes on what is turned by which a newer source is one of those that turn it: honest sources that
err apart give the lie in a tenth at most. Half decides alike; double would leave out who shares 60 % of its lies."""

Refit = Callable[[VoteMatrix], Estimate]


def find_newer_dissent(
    votes: VoteMatrix, registered: Floats, answer: Integers, refit: Refit, gold: Integers | None = None
) -> FoundDissent | None:
    """The newer of N sources that turn most of what the older ones say, and to what; None where there are none.

    `registered` (N,) is when each source came; those of one time are of one age. `answer` (M,) are the estimated
    answers, `gold` (M,) right ones, -1 where unknown. `refit` estimates the votes of the older sources.
    """
    voters = np.unique(votes.source)
    if votes.vote_count > MOST_VOTES or voters.size < 2 * FEWEST_SOURCES:
        return None
    newer = registered > end_of_older_half(registered[voters])
    older = _votes_of(votes, ~newer[votes.source])
    asked = np.bincount(older.class_query, np.diff(older.class_start), votes.query_count) > 1
    if gold is not None:
        asked &= gold < 0
    count = np.count_nonzero(asked)
    if count < FEWEST_QUERIES or np.count_nonzero(~newer[voters]) < FEWEST_SOURCES or not newer[voters].any():
        return None
    estimate = refit(older)
    turned = asked & (estimate.answer != answer)
    share, doubted = np.count_nonzero(turned) / count, float(1 - estimate.confidence[asked].mean())
    if share <= 2 * doubted + LARGEST_TURNED:
        return None
    members = np.flatnonzero(newer & _follow(votes, turned, answer))
    expected = max(2 * doubted, 1 / count)
    log_odds = count * (xlogy(share, share / expected) + xlogy(1 - share, (1 - share) / (1 - expected)))
    queries = np.flatnonzero(turned)
    return FoundDissent(members, queries, answer[queries], float(log_odds), doubted) if members.size > 1 else None


def end_of_older_half(registered: Floats) -> float:
    """When the last one of the older half of N sources came, N being at least 1: of fewer where the next ones came at
    one time, and of all that came first.

    >>> end_of_older_half(np.array([3.0, 1.0, 2.0, 4.0])), end_of_older_half(np.array([1.0, 1.0, 1.0, 2.0]))
    (2.0, 1.0)
    """
    times, sizes = np.unique(registered, return_counts=True)
    last = int(np.searchsorted(np.cumsum(sizes), registered.size // 2, side="right")) - 1
    return float(times[max(last, 0)])


def _follow(votes: VoteMatrix, turned: Flags, answer: Integers) -> Flags:
    """(N,) which sources give the answers (M,) to the queries that are turned in so many votes that they turn them."""
    asked = turned[votes.class_query]
    gives = asked & (votes.class_answer == answer[votes.class_query])
    given, all_given = (
        np.bincount(votes.source, flags[votes.vote_class], votes.source_count) for flags in (gives, asked)
    )
    follow: Flags = given > LEAST_FOLLOWED * all_given
    return follow


def _votes_of(votes: VoteMatrix, kept: Flags) -> VoteMatrix:
    query, source, answer = (column[kept] for column in votes.triples())
    part = VoteMatrix.from_triples(
        query, source, answer, query_count=votes.query_count, source_count=votes.source_count
    )
    return part if votes.read is None else part.with_misreadings(1 - votes.read[kept])
