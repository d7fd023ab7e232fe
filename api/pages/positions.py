"""The positions of a query: who voted for which answer, and whether these are always the same blocs."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Self
from uuid import UUID

from registry.disputes.store import PairAgreement
from registry.estimations.explanation import ExplainedVote
from registry.estimations.model import Vote
from registry.sources.reliabilities import SourceReliability

SHOWN = 50
POSITIONS_SHOWN = 20
# Votes of a position whose sentences are looked up: each means the text of a document.
QUOTED = 5


@dataclass(frozen=True, slots=True)
class PositionVote:
    """A vote and its source, which may have been deleted since."""

    vote: Vote
    source: SourceReliability | None


@dataclass(frozen=True, slots=True)
class Position:
    """The sources that gave one answer, the most reliable first."""

    answer: str
    """Its most frequent wording."""
    accepted: bool
    """Whether it is the answer of the run."""
    votes: Sequence[PositionVote]
    """Votes, at most the first `SHOWN`."""
    total: int


def positions_of(votes: Sequence[Vote], sources: Sequence[SourceReliability], accepted: str | None) -> list[Position]:
    """The first `POSITIONS_SHOWN` positions, the accepted one first, then those with most votes."""
    by_id = {source.source_id: source for source in sources}
    classes: defaultdict[str, list[PositionVote]] = defaultdict(list)
    for vote in votes:
        if vote.answer_key is not None:
            classes[vote.answer_key].append(PositionVote(vote, by_id.get(vote.source_id)))
    positions = [_position(members, accepted) for members in classes.values()]
    return sorted(positions, key=lambda position: (not position.accepted, -position.total, position.answer))[
        :POSITIONS_SHOWN
    ]


def _position(members: Sequence[PositionVote], accepted: str | None) -> Position:
    wordings = Counter(member.vote.answer or "" for member in members)
    ordered = sorted(members, key=lambda member: -(_reliability(member.source)))
    return Position(wordings.most_common(1)[0][0], accepted in wordings, ordered[:SHOWN], len(members))


def _reliability(source: SourceReliability | None) -> float:
    return -1.0 if source is None or source.reliability is None else source.reliability


def quoted_votes(positions: Sequence[Position]) -> list[Vote]:
    """The votes of every position of which sentences are shown."""
    return [member.vote for position in positions for member in position.votes[:QUOTED]]


def quotes_by_source(explained: Sequence[ExplainedVote[Vote]]) -> dict[UUID, ExplainedVote[Vote]]:
    """The sentences by the source that wrote them."""
    return {vote.vote.source_id: vote for vote in explained if vote.quote}


@dataclass(frozen=True, slots=True)
class Blocs:
    """The agreement of sources of one position, and of different ones, on all disputed queries of the run."""

    members: Sequence[SourceReliability]
    """The most reliable of every position in turn."""
    together: float | None
    """Share of the disputed queries that two sources of one position share on which they answer alike."""
    apart: float | None
    """The same of two sources of different positions."""

    @staticmethod
    def members_of(positions: Sequence[Position], most: int) -> list[SourceReliability]:
        """The most reliable sources of every position in turn."""
        turns = zip_longest(*([member.source for member in position.votes] for position in positions))
        return [source for source in chain.from_iterable(turns) if source is not None][:most]

    @classmethod
    def of(
        cls,
        positions: Sequence[Position],
        members: Sequence[SourceReliability],
        agreements: Mapping[frozenset[UUID], PairAgreement],
    ) -> Self:
        """The blocs of these members by the agreement of each two."""
        position_of = {
            member.vote.source_id: number for number, position in enumerate(positions) for member in position.votes
        }
        counts = {True: [0, 0], False: [0, 0]}
        for pair in agreements.values():
            count = counts[position_of[pair.first_id] == position_of[pair.second_id]]
            count[0] += pair.agreed
            count[1] += pair.shared
        together, apart = (agreed / shared if shared else None for agreed, shared in (counts[True], counts[False]))
        return cls(members, together, apart)
