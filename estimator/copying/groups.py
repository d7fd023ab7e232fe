"""Groups of sources that count as one voice, told so that a person can judge the evidence."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from estimator.copying.find import Dependence
from estimator.copying.layout import Floats
from estimator.votes import Integers

SURE: Final = 3.0
"""Log odds (20 to 1) from which a source is named as the one that the others took from."""


@dataclass(frozen=True, slots=True)
class CopyGroup:
    """Sources that are one voice, and why."""

    members: tuple[int, ...]
    """Rising."""
    original: int | None
    """The member that the others took from; None where the times of votes do not tell."""
    log_odds: float
    """That the strongest of its links is a copy; 0 where only what links others put its members together."""
    shared_wrong: float
    """Doubted answers that the sources of that link share."""
    expected: float
    """How many they would share if they did not know of each other."""
    copied_share: float
    """Share of the one's doubted answers that the other has too, beyond the expected."""


def copy_groups(found: Dependence) -> tuple[CopyGroup, ...]:
    """The groups of several members, by their first member."""
    several = np.flatnonzero(np.bincount(found.groups, minlength=1) > 1)
    if not several.size:
        return ()
    order = np.argsort(found.groups, kind="stable")
    begin, end = (np.searchsorted(found.groups[order], several, side=side) for side in ("left", "right"))
    inside = found.groups[found.evidence.first] == found.groups[found.evidence.second]
    links = np.flatnonzero(inside)
    group_of_link = found.groups[found.evidence.first[links]]
    return tuple(
        _group(found, order[first:last], links[group_of_link == group])
        for group, first, last in zip(several.tolist(), begin.tolist(), end.tolist(), strict=True)
    )


def _group(found: Dependence, members: Integers, links: Integers) -> CopyGroup:
    """From its links, the strongest first."""
    strongest = links[:1]

    def figure(column: Floats) -> float:
        return float(column[strongest].sum())

    return CopyGroup(
        members=tuple(members.tolist()),
        original=_original(found, members, links),
        log_odds=figure(found.evidence.log_odds),
        shared_wrong=figure(found.evidence.shared_wrong),
        expected=figure(found.evidence.expected),
        copied_share=figure(found.evidence.copied_share),
    )


def _original(found: Dependence, members: Integers, links: Integers) -> int | None:
    """The one member from which every other with a dated link to it took, if there is one such."""
    second_copied = found.evidence.second_copied[links]
    dated = ~np.isnan(second_copied)
    first, second = found.evidence.first[links][dated], found.evidence.second[links][dated]
    odds = second_copied[dated]
    least = {member: _least(odds[first == member], -odds[second == member]) for member in members.tolist()}
    sure = [member for member, value in least.items() if value > SURE]
    return sure[0] if len(sure) == 1 else None


def _least(forward: Floats, backward: Floats) -> float:
    each = np.concatenate((forward, backward))
    return float(each.min()) if each.size else 0.0
