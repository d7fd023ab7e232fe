"""A stored answer in the order in which its page shows it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from api.pages.highlighting import Part, marked_at
from registry.answers.result_schemas import AnswerResult, Citation, RejectedSource, SelectedSource


@dataclass(frozen=True, slots=True)
class Quote:
    """A citation, in its passage where that is known."""

    citation: Citation
    parts: Sequence[Part]

    @classmethod
    def of(cls, citation: Citation) -> Self:
        """The citation with its quote marked in its passage."""
        context = citation.context
        start = max(context.find(citation.quote), 0)
        return cls(citation, marked_at(context, start, start + len(citation.quote)))


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """Who says so and who does not, with quotes by source; who was left out, by reason."""

    result: AnswerResult
    supporters: Sequence[SelectedSource]
    dissenters: Sequence[SelectedSource]
    quotes: Mapping[UUID, Sequence[Quote]]
    left_out: Mapping[str, Sequence[RejectedSource]]
    names: Mapping[UUID, str]
    """Of the selected sources."""

    @classmethod
    def of(cls, result: AnswerResult) -> Self:
        """The parts of a result; sources with the largest weight come first."""
        ordered = sorted(result.selected_sources, key=lambda source: -source.weight)
        quotes: defaultdict[UUID, list[Quote]] = defaultdict(list)
        for citation in result.citations:
            quotes[citation.source_id].append(Quote.of(citation))
        left_out: defaultdict[str, list[RejectedSource]] = defaultdict(list)
        for source in result.rejected_sources:
            left_out[source.abstention or source.reason].append(source)
        return cls(
            result=result,
            supporters=[source for source in ordered if source.supports],
            dissenters=[source for source in ordered if not source.supports],
            quotes=dict(quotes),
            left_out=dict(left_out),
            names={source.source_id: source.name for source in result.selected_sources},
        )
