"""Right answers of queries, and the history of their changes."""

from typing import TYPE_CHECKING, Self, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View
from registry.queries.schemas import MovedVote, VoteCounts

if TYPE_CHECKING:
    from registry.estimations.gold_answers import GoldEffect
    from registry.queries.model import GoldEntry, Query

MOVED_SHOWN = 100


class GoldEntryView(View):
    """A change of the right answers of a query."""

    id: UUID = Field(description="Identifier.")
    query_id: UUID = Field(description="The query.")
    answers_before: list[str] | None = Field(description="Right answers before; null for none.", examples=[["Oslo"]])
    answers_after: list[str] | None = Field(
        description="Right answers after; null for none.", examples=[["Oslo", "Kristiania"]]
    )
    actor: str = Field(
        description="Kind of caller who changed them: `key`, `browser` (in the pages), `anonymous`, `cli` or `job`.",
        examples=["key"],
    )
    created_by: str = Field(description="Name of the API key or of the user; else as `actor`.", examples=["ops"])
    created_at: Time = Field(description="When they were changed.")
    undone_at: Time | None = Field(description="When it was undone; null if it holds.")


GoldEntryList: TypeAlias = ListView[GoldEntryView]


class GoldChangeView(View):
    """The right answers of a query before and after a change, and what that moved."""

    entry: GoldEntryView | None = Field(description="The entry in the history; null if nothing changed.")
    answers_before: list[str] | None = Field(description="Right answers before; null for none.", examples=[["Oslo"]])
    answers_after: list[str] | None = Field(
        description="Right answers now; null for none.", examples=[["Oslo", "Kristiania"]]
    )
    estimation_id: UUID | None = Field(
        description="The current estimation, whose votes are counted; null before any. The next one uses the answers."
    )
    votes_before: VoteCounts = Field(description="Its votes on the query by the answers before.")
    votes_after: VoteCounts = Field(description="Its votes on the query by the answers now.")
    moved: list[MovedVote] = Field(
        description=f"Votes that are judged otherwise than before, at most {MOVED_SHOWN}, of reliable sources first."
    )

    @classmethod
    def of(cls, query: "Query", before: list[str] | None, entry: "GoldEntry | None", effect: "GoldEffect") -> Self:
        return cls(
            entry=entry and GoldEntryView.model_validate(entry),
            answers_before=before,
            answers_after=query.gold_answers,
            estimation_id=effect.estimation_id,
            votes_before=effect.before,
            votes_after=effect.after,
            moved=effect.moved[:MOVED_SHOWN],
        )
