"""A stored answer in the order in which its page shows it."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Self
from uuid import UUID

from answering.enums import Outcome
from api.pages.highlighting import Part, marked_at
from registry.answers.result_schemas import AnswerResult, Citation, Decider, RejectedSource, SelectedSource
from registry.evaluations.schemas import Basis
from registry.votes.schemas import TallyEntry

COLUMNS = 3
"""Positions that stand side by side; further ones are folded."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A citation, in its passage where that is known."""

    citation: Citation
    source: str
    """The name of its source."""
    parts: Sequence[Part]

    @classmethod
    def of(cls, citation: Citation, source: str) -> Self:
        """The citation with its quote marked in its passage."""
        context = citation.context
        start = max(context.find(citation.quote), 0)
        return cls(citation, source, marked_at(context, start, start + len(citation.quote)))


@dataclass(frozen=True, slots=True)
class OneVote:
    """A source, or several that count as one vote because they copy, dissent together or are new."""

    sources: Sequence[SelectedSource]

    @property
    def weight(self) -> float:
        """The weight of a vote of the source, below that of its statements if votes are misread."""
        return fsum(source.weight for source in self.sources)


@dataclass(frozen=True, slots=True)
class Position:
    """An answer of the vote, with those who give it and what they write."""

    entry: TallyEntry
    is_answer: bool
    """Whether it is an answer to the question."""
    votes: Sequence[OneVote]
    """Votes, those with the largest weight first."""
    quotes: Sequence[Quote]
    """Quotes in the order of the votes."""


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """The positions that sources take, with quotes for each; who was left out, by reason."""

    result: AnswerResult
    positions: Sequence[Position]
    """The winner of the vote first, then by descending weight."""
    debated: Sequence[Quote]
    """The documents of a debate, if one decided."""
    left_out: Mapping[str, Sequence[RejectedSource]]
    names: Mapping[UUID, str]
    """Names of the sources."""

    @property
    def in_conflict(self) -> bool:
        """Whether several answers stand against each other, so that none is a headline."""
        return self.result.outcome is Outcome.CONFLICTING and not self.result.parts

    @property
    def knows_probabilities(self) -> bool:
        """Whether enough is known about the sources for probabilities of their answers."""
        calibrated = self.result.calibrated_confidence
        if calibrated is None:
            return self.result.estimation_id is not None
        return calibrated.basis is not Basis.TOO_LITTLE

    @classmethod
    def of(cls, result: AnswerResult) -> Self:
        """The parts of a result."""
        names = {source.source_id: source.name for source in result.rejected_sources}
        names |= {source.source_id: source.name for source in result.selected_sources}
        left_out: defaultdict[str, list[RejectedSource]] = defaultdict(list)
        for source in result.rejected_sources:
            left_out[source.abstention or source.reason].append(source)
        by_debate = result.decided_by is Decider.DEBATE
        # A debate cites documents for its own answers, whatever their sources were read to say.
        cited = result.dissent_citations if by_debate else (*result.citations, *result.dissent_citations)
        quotes = {citation.source_id: Quote.of(citation, names[citation.source_id]) for citation in cited}
        debated = result.citations if by_debate else ()
        return cls(
            result=result,
            positions=[_position(result, entry, quotes) for entry in result.tally],
            debated=[Quote.of(citation, names.get(citation.source_id, "")) for citation in debated],
            left_out=dict(left_out),
            names=names,
        )


def _position(result: AnswerResult, entry: TallyEntry, quotes: Mapping[UUID, Quote]) -> Position:
    givers = frozenset(entry.source_ids)
    sources = [source for source in result.selected_sources if source.source_id in givers]
    votes = _votes(sources)
    ordered = [source.source_id for vote in votes for source in vote.sources]
    cited = [quotes[source_id] for source_id in ordered if source_id in quotes]
    return Position(entry, entry.answer in result.answers, votes, cited)


def _votes(sources: Sequence[SelectedSource]) -> list[OneVote]:
    """The sources of an answer by the vote that they are, as `Electorate.copy_group` has it."""
    votes: defaultdict[Hashable, list[SelectedSource]] = defaultdict(list)
    for source in sorted(sources, key=lambda source: -source.weight):
        votes[_vote_of(source)].append(source)
    return sorted(map(OneVote, votes.values()), key=lambda vote: -vote.weight)


def _vote_of(source: SelectedSource) -> Hashable:
    if source.is_new:
        return "new"
    if source.joint_dissent is not None:
        return "joint dissent", source.joint_dissent
    return source.source_id if source.copy_group is None else ("copies", source.copy_group)
