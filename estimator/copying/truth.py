"""What is true, as far as groups that count once can tell: a chance for every answer voted for."""

from dataclasses import dataclass

import numpy as np

from estimator.copying.collapse import GroupVotes
from estimator.copying.layout import Ballots, Floats

_ROUNDS = 30
_TOLERANCE = 1e-3
# A reliability starts from this many imagined votes of average quality, so that a source of two votes is no oracle.
_PRIOR_VOTES = 2.0
# Imagined pairs of wrong votes behind the guess that one wrong answer in ten is met again.
_PRIOR_PAIRS = 10.0
_PRIOR_COINCIDENCE = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What the groups make of C classes."""

    chance: Floats
    """(C,) that the class is the right answer of its query."""
    coincidence: float
    """Chance that two independent wrong answers to one query are the same."""


def by_share(ballots: Ballots, kept: GroupVotes) -> Truth:
    """Believe an answer as far as its share of the votes goes: before anything is known of the sources."""
    support = kept.support(ballots.row.size)
    share = support / np.maximum(ballots.total(support), 1.0)[ballots.row]
    return Truth(share, _coincidence(ballots, support, share))


def by_reliability(ballots: Ballots, kept: GroupVotes) -> Truth:
    """Chances under one reliability A for each group, by expectation maximisation that starts from the shares.

    A vote is right with chance A, else one of n wrong answers, so that it multiplies the odds of its class by
    `n A / (1 - A)` (Dong et al., VLDB 2009, section 4.2); n is `1 / coincidence`.
    """
    start = by_share(ballots, kept)
    chance, reliable = start.chance, np.zeros(kept.group_count)
    wrong_answers = 1 / start.coincidence
    for _ in range(_ROUNDS):
        previous, reliable = reliable, reliability(kept, chance)
        score = scores(ballots, kept, reliable, wrong_answers)
        chance = np.exp(score - log_mass(ballots, score, wrong_answers)[ballots.row])
        if np.abs(reliable - previous).max(initial=0.0) <= _TOLERANCE:
            break
    return Truth(chance, _coincidence(ballots, kept.support(ballots.row.size), chance))


def reliability(kept: GroupVotes, chance: Floats) -> Floats:
    """(G,) share of right votes of every group, drawn towards the mean where votes are few."""
    right = np.bincount(kept.group, chance[kept.klass], minlength=kept.group_count)
    cast = np.bincount(kept.group, minlength=kept.group_count)
    mean = (right.sum() + 1) / (cast.sum() + 2)
    share: Floats = (right + _PRIOR_VOTES * mean) / (cast + _PRIOR_VOTES)
    return share.clip(0.01, 0.99)


def scores(ballots: Ballots, kept: GroupVotes, reliable: Floats, wrong_answers: float) -> Floats:
    """(C,) log odds of every class against an answer that nobody gave."""
    weight = np.log(wrong_answers * reliable / (1 - reliable))
    score: Floats = np.bincount(kept.klass, weight[kept.group], minlength=ballots.row.size).astype(np.float64)
    return score


def log_mass(ballots: Ballots, score: Floats, wrong_answers: float) -> Floats:
    """(K,) log of the summed odds of all `wrong_answers + 1` answers of a query, those nobody gave included."""
    top = ballots.top(score)
    given = ballots.total(np.exp(score - top[ballots.row]))
    others = np.maximum(wrong_answers + 1 - ballots.rivals, 0.0) * np.exp(-top)
    mass: Floats = top + np.log(given + others)
    return mass


def _coincidence(ballots: Ballots, support: Floats, chance: Floats) -> float:
    """Share of pairs of wrong votes on one query that are for the same answer."""
    wrong = support * (1 - chance)
    same = float((wrong * np.maximum(support - 1, 0.0)).sum())
    different = float((wrong * np.maximum(ballots.total(wrong)[ballots.row] - wrong, 0.0)).sum())
    return (same + _PRIOR_PAIRS * _PRIOR_COINCIDENCE) / (same + different + _PRIOR_PAIRS)
