"""Geometry of the graph of a copy group, which a template draws as SVG beside the list of its members."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from api.pages.agreement_matrix import MEMBERS_SHOWN
from registry.sources.schemas import CopyGroup, CopyLink

# In pixels: the height of a member's row, the width of the drawing, and the radius of a circle.
ROW, WIDTH, RADIUS = 64, 110, 12
TIP, APART = 9, 4
STRONG = 20.0
"""Log odds from which lines grow no wider."""


@dataclass(frozen=True, slots=True)
class Member:
    """A source; `number` is its place in the order of publication, from 1."""

    source_id: UUID
    name: str
    number: int

    @property
    def y(self) -> int:
        """The middle of its row."""
        return ROW * self.number - ROW // 2


@dataclass(frozen=True, slots=True)
class Arc:
    """A link, from the source that was copied to the copier where that is known."""

    link: CopyLink
    source: Member
    target: Member

    @property
    def ends(self) -> tuple[UUID, UUID]:
        """The sources."""
        return self.source.source_id, self.target.source_id

    @property
    def path(self) -> str:
        """The arc between the circles, the wider the more rows lie between them."""
        right = WIDTH - 2 * RADIUS
        end = right - (TIP if self.link.copier_id else 0)
        far = max(right - 26 - 13 * abs(self.target.number - self.source.number), -right // 4)
        # Lines leave below the middle of a circle and arrive above it.
        begin_y, end_y = self.source.y + APART, self.target.y - APART
        return f"M{right} {begin_y}C{far} {begin_y} {far} {end_y} {end} {end_y}"

    @property
    def width(self) -> float:
        """The width of the line, by the evidence."""
        return round(1.5 + 3.5 * min(max(self.link.log_odds, 0) / STRONG, 1), 1)


@dataclass(frozen=True, slots=True)
class CopyGraph:
    """The members, or those with the strongest links, and the links between them; who published first is at the top."""

    members: Sequence[Member]
    arcs: Sequence[Arc]

    @classmethod
    def of(cls, group: CopyGroup) -> Self:
        """The graph of a group; at most `MEMBERS_SHOWN` members."""
        names = dict(zip(group.source_ids, group.source_names, strict=True))
        linked = [source_id for link in group.links for source_id in (link.first_id, link.second_id)]
        drawn = _by_time(group, list(dict.fromkeys([*linked, *group.source_ids]))[:MEMBERS_SHOWN])
        members = {source_id: Member(source_id, names[source_id], place) for place, source_id in enumerate(drawn, 1)}
        arcs = []
        for link in group.links:
            if link.first_id in members and link.second_id in members:
                ends = members[link.first_id], members[link.second_id]
                arcs.append(Arc(link, *(reversed(ends) if link.copier_id == link.first_id else ends)))
        return cls(list(members.values()), arcs)

    @property
    def source_ids(self) -> list[UUID]:
        """The members in their order."""
        return [member.source_id for member in self.members]

    @property
    def height(self) -> int:
        """The height of the drawing."""
        return ROW * len(self.members)

    @property
    def strongest(self) -> Arc | None:
        """The link with most evidence."""
        return max(self.arcs, key=_by_evidence, default=None)

    def copied_by(self, member: Member) -> Arc | None:
        """The link with most evidence by which a member copies another one."""
        return max((arc for arc in self.arcs if arc.link.copier_id == member.source_id), key=_by_evidence, default=None)


def _by_evidence(arc: Arc) -> float:
    return arc.link.log_odds


def _by_time(group: CopyGroup, source_ids: Sequence[UUID]) -> list[UUID]:
    """The original first, then those that are copied more often than they copy, by dates of publication."""
    later: Counter[UUID] = Counter()
    for link in group.links:
        if link.copier_id is not None:
            later[link.copier_id] += 1
            later[link.first_id if link.copier_id == link.second_id else link.second_id] -= 1
    return sorted(source_ids, key=lambda each: (each != group.original_id, later[each], group.source_ids.index(each)))
