"""Geometry of the graph of a copy group, which a template draws as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin, sqrt
from typing import Self
from uuid import UUID

from api.pages.agreement_matrix import MEMBERS_SHOWN
from registry.sources.schemas import CopyGroup, CopyLink

WIDTH, HEIGHT = 560, 360
RADIUS_X, RADIUS_Y = 130, 125
SMALLEST, LARGEST = 7.0, 20.0
"""Radii of nodes."""
STRONG = 20.0
"""Log odds from which lines grow no wider."""
LABEL_GAP = 6


@dataclass(frozen=True, slots=True)
class Node:
    """A source; `number` is its place in the list of the group, from 1."""

    source_id: UUID
    name: str
    number: int
    votes: int
    x: float
    y: float
    radius: float

    @property
    def is_left(self) -> bool:
        """Whether its label stands left of it."""
        return self.x < WIDTH / 2 - 1

    @property
    def label_x(self) -> float:
        """The beginning of its label or, on the left, its end."""
        gap = self.radius + LABEL_GAP
        return round(self.x - gap if self.is_left else self.x + gap, 1)


@dataclass(frozen=True, slots=True)
class Edge:
    """A link, from the source that was copied to the copier where that is known."""

    link: CopyLink
    source: Node
    target: Node
    x1: float
    y1: float
    x2: float
    y2: float
    width: float

    @classmethod
    def of(cls, link: CopyLink, first: Node, second: Node) -> Self:
        """The line between the rims of the nodes."""
        source, target = (second, first) if link.copier_id == first.source_id else (first, second)
        across, down = target.x - source.x, target.y - source.y
        length = hypot(across, down)
        across, down = across / length, down / length
        # Room for the tip of an arrow.
        end = target.radius + (9 if link.copier_id else 2)
        return cls(
            link=link,
            source=source,
            target=target,
            x1=round(source.x + across * (source.radius + 2), 1),
            y1=round(source.y + down * (source.radius + 2), 1),
            x2=round(target.x - across * end, 1),
            y2=round(target.y - down * end, 1),
            width=round(1 + 5 * min(max(link.log_odds, 0) / STRONG, 1), 1),
        )


@dataclass(frozen=True, slots=True)
class CopyGraph:
    """The members with the strongest links on an ellipse, and the links between them."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]
    width: int = WIDTH
    height: int = HEIGHT

    @classmethod
    def of(cls, group: CopyGroup, votes: Mapping[UUID, int]) -> Self:
        """The graph of a group by the votes of its members; at most `MEMBERS_SHOWN` nodes."""
        members = members_drawn(group)
        most = max((votes.get(source_id, 0) for source_id in members), default=0) or 1
        nodes = {
            source_id: _node(group, source_id, votes.get(source_id, 0), most, place, len(members))
            for place, source_id in enumerate(members)
        }
        edges = [
            Edge.of(link, nodes[link.first_id], nodes[link.second_id])
            for link in group.links
            if link.first_id in nodes and link.second_id in nodes
        ]
        return cls(list(nodes.values()), edges)


def members_drawn(group: CopyGroup) -> list[UUID]:
    """The members with the strongest links, at most `MEMBERS_SHOWN`, in the order of the group."""
    linked = dict.fromkeys(source_id for link in group.links for source_id in (link.first_id, link.second_id))
    return sorted(list(linked)[:MEMBERS_SHOWN], key=group.source_ids.index)


def _node(group: CopyGroup, source_id: UUID, votes: int, most: int, place: int, total: int) -> Node:
    number = group.source_ids.index(source_id)
    angle = pi + 2 * pi * place / total
    return Node(
        source_id=source_id,
        name=group.source_names[number],
        number=number + 1,
        votes=votes,
        x=round(WIDTH / 2 + RADIUS_X * cos(angle), 1),
        y=round(HEIGHT / 2 + RADIUS_Y * sin(angle), 1),
        radius=round(SMALLEST + (LARGEST - SMALLEST) * sqrt(votes / most), 1),
    )
