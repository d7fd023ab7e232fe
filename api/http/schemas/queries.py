"""Queries."""

from typing import TYPE_CHECKING, Any, Self, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View
from api.http.schemas.problems import Failure
from registry.platform.enums import AnswerPolicy, QueryOrigin, RunStatus
from registry.query_generations.schemas import GenerationParameters, GenerationReport
from registry.viewers.model import Viewer

if TYPE_CHECKING:
    from registry.queries.model import Query


class QueryView(View):
    """An unlabelled question used to estimate reliability."""

    id: UUID = Field(description="Identifier.")
    external_id: str = Field(description="The caller's own identifier, unique in the corpus.", examples=["q-042"])
    text: str = Field(description="The question.", examples=["In which city was the Zephyr 3 announced?"])
    gold_answers: list[str] | None = Field(
        description="Right answers, if known; estimations judge votes by them unless `use_gold` is off.",
        examples=[["Oslo"]],
    )
    topic: str | None = Field(
        description="Topic, if the caller gave one; otherwise topics are found by embeddings.", examples=["drones"]
    )
    attributes: dict[str, Any] = Field(description="Anything the caller wants to keep.", examples=[{"kind": "place"}])
    answers: AnswerPolicy | None = Field(
        description="Policy of imported answers: `one` is right, `several` may be, or a `number`; null: as the "
        "corpus says.",
        examples=[None],
    )
    relation: str | None = Field(
        description="The relation whose stated values it was made of; null for a query that was sent.",
        examples=["capital"],
    )
    origin: QueryOrigin = Field(
        description="`given`: somebody sent it; `stated`: made of stated values; `generated`: written from a document; "
        "`asked`: a question that somebody asked; `votes`: it came with imported votes."
    )
    provenance: dict[str, Any] | None = Field(
        description=(
            "Origin of a generated query: document, sentence and answer; of an asked one: the answer. Null for others."
        ),
        examples=[{"sentence": "The Zephyr 3 was announced in Oslo.", "answer": "Oslo"}],
    )
    active: bool = Field(description="Whether estimations use it.")
    created_at: Time = Field(description="When it was made.")
    updated_at: Time = Field(description="When it last changed.")

    @classmethod
    def of(cls, query: "Query", viewer: Viewer) -> Self:
        """The view of a query. The most frequent answer to one that was written from a document may come from documents
        that the viewer does not see.
        """
        view = cls.model_validate(query)
        if viewer.sees_all or query.origin != QueryOrigin.GENERATED or not view.provenance:
            return view
        return view.model_copy(update={"provenance": view.provenance | {"leading_answer": None}})


QueryList: TypeAlias = ListView[QueryView]


class GenerationView(View):
    """Queries being written from the documents of a corpus, or what came of it."""

    id: UUID = Field(description="Identifier.")
    status: RunStatus = Field(description="How far it is.")
    parameters: GenerationParameters = Field(description="Its parameters.")
    report: GenerationReport = Field(description="Counts so far.")
    problem: Failure | None = Field(description="Why it failed; null if it did not.")
    created_at: Time = Field(description="When it was queued.")
    started_at: Time | None = Field(description="When it began.")
    finished_at: Time | None = Field(description="When it ended; null while it goes on.")


GenerationList: TypeAlias = ListView[GenerationView]
