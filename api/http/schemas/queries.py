"""Queries, their right answers and the history of these, and wordings that people joined."""

from typing import TYPE_CHECKING, Any, Self, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import Failure, ListView, Time, View
from registry.platform.enums import AnswerPolicy, QueryOrigin, RunStatus
from registry.queries.schemas import MovedVote, VoteCounts
from registry.query_generations.schemas import GenerationParameters, GenerationReport
from registry.viewers.model import Viewer

if TYPE_CHECKING:
    from registry.estimations.gold_effect import GoldEffect
    from registry.queries.model import GoldEntry, Query


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


class JoinView(View):
    """Wordings that are one answer to a question."""

    id: UUID = Field(description="Identifier.")
    question: str = Field(description="The question.", examples=["Who won Super Bowl LII?"])
    answers: list[str] = Field(description="The wordings.", examples=[["Eagles", "Philadelphia Eagles"]])
    actor: str = Field(
        description="Kind of caller who joined them: `key`, `browser` (in the pages), `anonymous`, `cli` or `job`.",
        examples=["key"],
    )
    created_by: str = Field(description="Name of the API key or of the user; else as `actor`.", examples=["ops"])
    created_at: Time = Field(description="When they were joined.")


JoinList: TypeAlias = ListView[JoinView]


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
