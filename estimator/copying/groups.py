"""Copy groups of several members, with the evidence in a form for people."""

from typing import Final

import numpy as np

from estimator.arrays.types import Floats, Integers
from estimator.copying.detection import CopyDetection
from estimator.result import CopyGroup

_CERTAIN: Final = 3.0
"""Log odds (20 to 1) from which a source is named as the one that the others copied."""


def copy_groups(detection: CopyDetection) -> tuple[CopyGroup, ...]:
    """The groups of several members, by their first member.

    >>> from estimator import VoteMatrix
    >>> from estimator.copying import find_copies
    >>> copy_groups(find_copies(VoteMatrix.from_triples([0, 0], [0, 1], [4, 9], query_count=1, source_count=2)))
    ()
    """
    groups, links = detection.groups, detection.links
    several = np.flatnonzero(np.bincount(groups, minlength=1) > 1)
    if not several.size:
        return ()
    order = np.argsort(groups, kind="stable")
    begin, end = (np.searchsorted(groups[order], several, side=side) for side in ("left", "right"))
    inside = np.flatnonzero(groups[links.first] == groups[links.second])
    group_of_link = groups[links.first[inside]]
    return tuple(
        _group(detection, order[first:last], inside[group_of_link == group])
        for group, first, last in zip(several.tolist(), begin.tolist(), end.tolist(), strict=True)
    )


def _group(detection: CopyDetection, members: Integers, inside: Integers) -> CopyGroup:
    """A group of these members and links, the strongest link first."""
    links, strongest = detection.links, inside[:1]

    def figure(column: Floats) -> float:
        return float(column[strongest].sum())

    return CopyGroup(
        members=tuple(members.tolist()),
        original=_original(detection, members, inside),
        log_odds=figure(links.log_odds),
        shared_wrong=figure(links.shared_wrong),
        expected=figure(links.expected),
        copied_share=figure(links.copied_share),
    )


def _original(detection: CopyDetection, members: Integers, inside: Integers) -> int | None:
    """The one member that every other one with a dated link to it copied, if there is one such."""
    second_copied = detection.links.second_copied[inside]
    dated = ~np.isnan(second_copied)
    first, second = detection.links.first[inside][dated], detection.links.second[inside][dated]
    log_odds = second_copied[dated]
    least = {member: _least(log_odds[first == member], -log_odds[second == member]) for member in members.tolist()}
    certain = [member for member, value in least.items() if value > _CERTAIN]
    return certain[0] if len(certain) == 1 else None


def _least(forward: Floats, backward: Floats) -> float:
    both = np.concatenate((forward, backward))
    return float(both.min()) if both.size else 0.0
