"""The sides of a query: who voted for which answer, and whether these are always the same blocs."""

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
SIDES_SHOWN = 20
# Votes of a side whose sentences are looked up: each means the text of a document.
QUOTED = 5


@dataclass(frozen=True, slots=True)
class SideVote:
    """A vote and its source, which may have been deleted since."""

    vote: Vote
    source: SourceReliability | None


@dataclass(frozen=True, slots=True)
class Side:
    """The sources that gave one answer, the most reliable first."""

    answer: str
    """Its most frequent wording."""
    accepted: bool
    """Whether it is the answer of the run."""
    votes: Sequence[SideVote]
    """At most the first `SHOWN`."""
    total: int


def sides_of(votes: Sequence[Vote], sources: Sequence[SourceReliability], accepted: str | None) -> list[Side]:
    """The first `SIDES_SHOWN` sides, the accepted one first, then those with most votes."""
    by_id = {source.source_id: source for source in sources}
    classes: defaultdict[str, list[SideVote]] = defaultdict(list)
    for vote in votes:
        if vote.answer_key is not None:
            classes[vote.answer_key].append(SideVote(vote, by_id.get(vote.source_id)))
    sides = [_side(members, accepted) for members in classes.values()]
    return sorted(sides, key=lambda side: (not side.accepted, -side.total, side.answer))[:SIDES_SHOWN]


def _side(members: Sequence[SideVote], accepted: str | None) -> Side:
    wordings = Counter(member.vote.answer or "" for member in members)
    ordered = sorted(members, key=lambda member: -(_reliability(member.source)))
    return Side(wordings.most_common(1)[0][0], accepted in wordings, ordered[:SHOWN], len(members))


def _reliability(source: SourceReliability | None) -> float:
    return -1.0 if source is None or source.reliability is None else source.reliability


def quoted_votes(sides: Sequence[Side]) -> list[Vote]:
    """The votes of every side of which sentences are shown."""
    return [member.vote for side in sides for member in side.votes[:QUOTED]]


def quotes_by_source(explained: Sequence[ExplainedVote[Vote]]) -> dict[UUID, ExplainedVote[Vote]]:
    """The sentences by the source that wrote them."""
    return {vote.vote.source_id: vote for vote in explained if vote.quote}


@dataclass(frozen=True, slots=True)
class Blocs:
    """How often sources of one side, and of different ones, answer alike on all disputed queries of the run."""

    members: Sequence[SourceReliability]
    """The most reliable of every side in turn."""
    together: float | None
    """Share of the disputed queries that two sources of one side share on which they answer alike."""
    apart: float | None
    """The same of two sources of different sides."""

    @staticmethod
    def members_of(sides: Sequence[Side], most: int) -> list[SourceReliability]:
        """The most reliable sources of every side in turn."""
        turns = zip_longest(*([member.source for member in side.votes] for side in sides))
        return [source for source in chain.from_iterable(turns) if source is not None][:most]

    @classmethod
    def of(
        cls,
        sides: Sequence[Side],
        members: Sequence[SourceReliability],
        agreements: Mapping[frozenset[UUID], PairAgreement],
    ) -> Self:
        """The blocs of these members by the agreement of each two."""
        side_of = {member.vote.source_id: number for number, side in enumerate(sides) for member in side.votes}
        counts = {True: [0, 0], False: [0, 0]}
        for pair in agreements.values():
            count = counts[side_of[pair.first_id] == side_of[pair.second_id]]
            count[0] += pair.agreed
            count[1] += pair.shared
        together, apart = (agreed / shared if shared else None for agreed, shared in (counts[True], counts[False]))
        return cls(members, together, apart)
