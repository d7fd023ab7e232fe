"""The sides of a query: who voted for which answer."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from registry.models import Vote
from registry.store.reliabilities import SourceReliability

SHOWN = 50


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
    """The sides, the accepted one first, then those with most votes."""
    by_id = {source.source_id: source for source in sources}
    classes: defaultdict[str, list[SideVote]] = defaultdict(list)
    for vote in votes:
        if vote.answer_key is not None:
            classes[vote.answer_key].append(SideVote(vote, by_id.get(vote.source_id)))
    sides = [_side(members, accepted) for members in classes.values()]
    return sorted(sides, key=lambda side: (not side.accepted, -side.total, side.answer))


def _side(members: Sequence[SideVote], accepted: str | None) -> Side:
    wordings = Counter(member.vote.answer or "" for member in members)
    ordered = sorted(members, key=lambda member: -(_reliability(member.source)))
    return Side(wordings.most_common(1)[0][0], accepted in wordings, ordered[:SHOWN], len(members))


def _reliability(source: SourceReliability | None) -> float:
    return -1.0 if source is None or source.reliability is None else source.reliability
