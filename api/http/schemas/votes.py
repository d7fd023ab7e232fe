"""Imported votes."""

from typing import TYPE_CHECKING, Self, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View

if TYPE_CHECKING:
    from registry.votes.store import NamedVote


class ImportedVoteView(View):
    """The imported answer of one source to one query."""

    id: UUID = Field(description="Identifier.")
    query_id: UUID = Field(description="The query.")
    query: str = Field(description="Its external id.", examples=["task-1"])
    source_id: UUID = Field(description="The source.")
    source: str = Field(description="Its external id.", examples=["model-a"])
    answer: str = Field(description="Its answer; of several one a line.", examples=["Oslo"])
    voted_at: Time | None = Field(description="When it voted; null if that is not known.")
    confidence: float | None = Field(description="Its own, as it was sent; it counts for nothing.")
    external_id: str | None = Field(description="The caller's identifier of the vote.", examples=["vote-17"])
    created_at: Time = Field(description="When it was imported.")
    updated_at: Time = Field(description="When it last changed.")

    @classmethod
    def of(cls, named: "NamedVote") -> Self:
        columns = {column.key: getattr(named.vote, column.key) for column in named.vote.__table__.columns}
        return cls.model_validate({**columns, "query": named.query, "source": named.source})


ImportedVoteList: TypeAlias = ListView[ImportedVoteView]


class DeletedVotes(View):
    """The number of votes that were deleted."""

    deleted: int = Field(description="Their number.")
