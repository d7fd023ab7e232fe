"""Estimation runs, their queries and votes."""

from typing import TYPE_CHECKING, Any, Self, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from answering.enums import ReadingStatus
from api.http.schemas.base import Failure, ListView, Share, Time, View
from estimator.policies import Doubt
from registry.estimations.schemas import EstimationParameters, Topic
from registry.platform.enums import RunStatus, Trigger
from registry.queries.schemas import MoreQueries
from registry.sources.schemas import CopyGroup, JointDissent
from registry.viewers.model import ALL_SEEING, Viewer

if TYPE_CHECKING:
    from registry.estimations.model import EstimationRun, Vote


class EstimationInput(BaseModel):
    """A new estimation."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    parameters: EstimationParameters = EstimationParameters()
    """Parameters of the estimation."""


class Progress(View):
    """The progress of a run."""

    queries_total: int = Field(description="Queries of the run.")
    queries_collected: int = Field(description="Queries of which all sources have been read.")
    sources_total: int = Field(description="Sources of the run.")
    readings_made: int = Field(description="Readings that the reader made.")
    readings_cached: int = Field(description="Readings that were stored already.")
    readings_carried: int = Field(
        description="Readings among these from an earlier estimation, which cannot have changed."
    )
    readings_failed: int = Field(description="Readings that failed; their sources abstain.")
    votes_total: int = Field(description="Readings that became votes.")


class Convergence(View):
    """The end of the iteration of an estimation."""

    method: str = Field(description="How votes became reliabilities; never `auto`.", examples=["one_coin"])
    reason: str | None = Field(
        description="Why `auto` took this method, and which sources it as one source.",
        examples=["one_coin: the answers are open, queries do not share a small set of labels"],
    )
    doubt: Doubt | None = Field(
        default=None,
        description="Why its votes cannot tell how reliable sources are, so that every interval is wide: `one_answer` "
        "(nearly all votes name it), `at_random` (answers at random explain them as well), `several_fits` "
        "(samples do not agree on one picture), `separate_runs` (many answers change if queries are left out); "
        "null where they can.",
    )
    labels: int | None = Field(
        description="L in the weight L * reliability - 1; after `one_coin` and `dawid_skene` one more than the "
        "plausible wrong answers."
    )
    rounds: int | None = Field(description="Rounds of the iteration.")
    converged: bool | None = Field(description="Whether the weights stopped moving.")
    stop_reason: str | None = Field(description="Why the iteration ended.", examples=["converged"])
    prior: Share | None = Field(description="Reliability of a source without votes.")
    prior_lower: Share | None = Field(description="Lower end of its 90 % interval.")
    prior_upper: Share | None = Field(description="Upper end of it.")
    gold_queries: int = Field(description="Queries that it was fitted on by their gold answers.")
    copy_groups: list[CopyGroup] = Field(
        description="Sources found to copy each other: each group counts as one source."
    )
    joint_dissents: list[JointDissent] = Field(
        description="Groups of sources that agree with each other where they leave the others: each counts as one "
        "source there, and where its members agree in an answer. The likeliest first."
    )
    topics: list[Topic] = Field(
        description="Topics on which sources differ in reliability; empty where one topic explains the votes as well."
    )


class EstimationView(View):
    """One estimate of all reliabilities of a corpus; it is append-only."""

    id: UUID = Field(description="Identifier.")
    number: int = Field(description="Its number in the corpus, from 1.")
    name: str | None = Field(description="Its name, if it was given one.", examples=["before the new reader"])
    current: bool = Field(description="Whether answers are weighed by its reliabilities now.")
    status: RunStatus = Field(description="Its state.")
    trigger: Trigger = Field(description="What started it.")
    schedule_id: UUID | None = Field(description="The schedule that started it, if one did.")
    cancel_requested: bool = Field(description="Whether its cancellation was requested.")
    parameters: dict[str, Any] = Field(description="Its parameters.", examples=[{"method": "auto"}])
    reader: str | None = Field(description="Name of the reader.", examples=["openai:qwen2.5:7b"])
    reader_note: str | None = Field(
        default=None, description="Warning if another reader reads now; null if it is the same."
    )
    progress: Progress = Field(description="Its progress.")
    outcome: Convergence | None = Field(description="How the iteration ended; null before that.")
    more_queries: MoreQueries | None = Field(
        default=None,
        description="How exactly it knows its sources, and what more queries would bring. Null in lists, before it has "
        "succeeded, and where its votes cannot tell who is reliable.",
    )
    problem: Failure | None = Field(description="Why it failed; null if it did not.")
    created_at: Time = Field(description="When it was requested.")
    started_at: Time | None = Field(description="When a worker started it.")
    finished_at: Time | None = Field(description="When it ended.")

    @classmethod
    def of(
        cls,
        run: "EstimationRun",
        reader_note: str | None = None,
        more_queries: MoreQueries | None = None,
        *,
        viewer: Viewer = ALL_SEEING,
        current: "EstimationRun | None" = None,
    ) -> Self:
        made = {"current", "progress", "outcome", "reader_note", "more_queries"}
        own = {name: getattr(run, name) for name in cls.model_fields if name not in made}
        outcome = Convergence.model_validate(run) if run.method is not None else None
        if outcome is not None and not viewer.sees_all:
            groups = [group.without_queries() for group in outcome.joint_dissents]
            outcome = outcome.model_copy(update={"joint_dissents": groups})
        return cls(
            **own,
            current=current is not None and current.id == run.id,
            progress=Progress.model_validate(run),
            outcome=outcome,
            reader_note=reader_note,
            more_queries=more_queries,
        )


EstimationList: TypeAlias = ListView[EstimationView]


class RunQueryView(View):
    """One query of a run and the answer that the votes gave it."""

    query_id: UUID = Field(description="The query, which may have been deleted since.")
    query_text: str = Field(
        description="Its text at the time of the run.", examples=["In which city was it announced?"]
    )
    answer: str | None = Field(description="The estimated answer; null if there is none.", examples=["Oslo"])
    lead: Share | None = Field(
        description="Probability of the answer minus that of the runner-up; with methods that count votes, its margin."
    )
    tied: bool | None = Field(description="Whether several answers had the largest weight.")
    turned: Share | None = Field(
        description="Share of the separate runs, each on a third of the queries, that answer it otherwise: above 0 "
        "the answer rests on few votes; null where none were made."
    )
    vote_count: int = Field(description="Sources that voted.")
    gold_used: bool = Field(description="Whether the run was fitted on its gold answer; its audits then leave it out.")
    topic: int | None = Field(
        description="Place of its topic in the estimation's list of topics; null where there is none."
    )
    collected_at: Time = Field(description="When its readings were complete.")


RunQueryList: TypeAlias = ListView[RunQueryView]


class DisputeView(RunQueryView):
    """A query of the current estimation on which sources disagree."""

    estimation_id: UUID = Field(description="The estimation.")
    classes: int = Field(description="Answer classes that have votes.")


DisputeList: TypeAlias = ListView[DisputeView]


class VoteView(View):
    """The reading of one source for one query of a run, and why it is no vote if it is none."""

    source_id: UUID = Field(description="The source.")
    status: ReadingStatus = Field(description="`answered` is a vote; the others say why there is none.")
    answer: str | None = Field(description="Its reading.", examples=["Oslo, Norway"])
    answer_key: str | None = Field(
        description="The answer class that it voted for; null if it did not vote, and for keys that do not see "
        "everything, as it may be named after the answer of another source.",
        examples=["oslo"],
    )
    alignment: Share | None = Field(description="ROUGE-1 precision against the passages it was read from.")
    stated: bool = Field(description="Whether the answer came as data, in a document or as an imported vote.")
    imported: bool = Field(description="Whether it is an imported vote.")
    confidence: Share | None = Field(description="Confidence of the reader; null where it gives none.")
    misread: Share | None = Field(
        description="Probability that it is a misreading; null below 0.01 and where the estimation did not tell."
    )
    document_ids: list[UUID] = Field(description="The documents it was read from.")
    published_at: Time | None = Field(description="When the source first published this answer, if that is known.")

    @classmethod
    def of(cls, vote: "Vote", viewer: Viewer) -> "VoteView":
        view = cls.model_validate(vote)
        return view if viewer.sees_all else view.model_copy(update={"answer_key": None})


VoteList: TypeAlias = ListView[VoteView]
