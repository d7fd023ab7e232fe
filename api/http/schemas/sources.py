"""Sources, their reliability and their estimates."""

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Share, Time, View
from registry.estimations.schemas import Topic, TopicReliability
from registry.platform.enums import SourceStatus
from registry.sources.schemas import CopyGroup, ReliabilityPeriod

if TYPE_CHECKING:
    from registry.estimations.model import EstimationRun, RunSource
    from registry.sources.model import Source
    from registry.sources.reliabilities import SourceReliability


Sensitivity = Annotated[
    Share | None,
    Field(
        description=(
            "Share of the true answers that it lists, on queries to which several may be true and on "
            "which it votes; null without such votes."
        )
    ),
]
Specificity = Annotated[
    Share | None, Field(description="Share of the false answers of others on these queries that it does not list.")
]
AgreementCount = Annotated[
    int | None,
    Field(description="How many of them are for the answer that the estimation gave the query; null in old runs."),
]
ConflictCount = Annotated[
    int | None,
    Field(description="How many are on queries of which other sources gave other answers; null in old runs."),
]


class SourceView(View):
    """A publisher whose documents share one reliability."""

    id: UUID = Field(description="Identifier.")
    external_id: str = Field(description="The caller's own identifier, unique in the corpus.", examples=["acme-blog"])
    name: str = Field(description="Name for people.", examples=["Acme's blog"])
    url: str | None = Field(description="Address of its publications.", examples=["https://blog.acme.example"])
    description: str = Field(description="What it is.", examples=["Announcements, since 2012"])
    attributes: dict[str, Any] = Field(description="Anything the caller wants to keep.", examples=[{"owner": "press"}])
    allowed_groups: list[str] | None = Field(
        description="Groups that may see its documents, where these name none; null: all who may read the corpus.",
        examples=[None],
    )
    status: SourceStatus = Field(description="`active` is read, `paused` waits, `retired` stays for the record.")
    created_at: Time = Field(description="When it was registered.")
    updated_at: Time = Field(description="When it last changed.")


class OverrideView(View):
    """An operator's reliability for a source; no estimation overwrites it."""

    reliability: Share = Field(description="The reliability to use instead of the estimate.")
    reason: str = Field(description="Why.", examples=["Hacked in March"])
    created_by: str = Field(description="Name of the API key that set it, or `anonymous`.", examples=["ops"])
    created_at: Time = Field(description="When it was set.")


class RatingView(View):
    """The rating of a source in a list; it enters the next estimation by `auto`, `one_coin` or `dawid_skene`."""

    rating: Share = Field(description="Mean of its prior.")
    strength: float = Field(description="How many votes the rating counts as.")
    origin: str = Field(description="Origin of the rating.", examples=["Media bias list, May 2026"])
    created_by: str = Field(description="Name of the API key that set it, or `anonymous`.", examples=["ops"])
    created_at: Time = Field(description="When it was set.")


class LabelledTopicReliability(TopicReliability):
    """The reliability of a source on one topic, with the label of the topic."""

    label: str
    """The label of the topic in the estimation."""


class ReliabilityView(View):
    """The reliability of a source at present, and where it comes from."""

    source_id: UUID = Field(description="The source.")
    estimation_id: UUID | None = Field(description="The current estimation; null if there is none yet.")
    reliability: Share | None = Field(description="The override, else the estimate; null if there is neither.")
    estimated: Share | None = Field(
        description="The estimate of the current estimation; null if the source was not in it. It is the share of its "
        "votes that are right; of a source that votes only on queries to which several answers may be true, the share "
        "of the answers that it lists which are."
    )
    lower: Share | None = Field(description="Lower end of the 90 % interval of the estimate.")
    upper: Share | None = Field(description="Upper end of it.")
    systematic: Share | None = Field(
        description="Standard deviation of what the estimate may be off by because sources share errors, which the "
        "interval leaves out; null where the method gives none."
    )
    sensitivity: Sensitivity
    specificity: Specificity
    prior: Share | None = Field(
        description="The reliability used where there is neither override nor estimate; null before any estimation."
    )
    weight: float | None = Field(description="Weight of its votes in that estimation.")
    is_new: bool = Field(
        description="Whether it came after the current estimation, or after the first one and has fewer than three "
        "votes: new sources weigh little, and those that agree count as one.",
        examples=[False],
    )
    vote_count: int = Field(description="Votes the estimate rests on.")
    agreement_count: AgreementCount
    conflict_count: ConflictCount
    misread_count: int | None = Field(
        description="How many of them look misread: errors of the reader, which `reliability` leaves out. Null where "
        "the estimation did not tell these from errors of sources."
    )
    copy_group: CopyGroup | None = Field(
        description="The sources that it copies or is copied by; null for an independent source."
    )
    override: OverrideView | None = Field(description="The operator's reliability, if one is set.")
    alarm: bool = Field(description="Whether the source has turned and no operator has set its reliability since.")
    turned_at: Time | None = Field(
        description="When its present period began; null for a source that did not turn.", examples=[None]
    )
    periods: list[ReliabilityPeriod] = Field(
        description="Its reliability over time, the present last; empty for a source that did not turn.", examples=[[]]
    )
    rating: RatingView | None = Field(description="The rating of an outside list, if one is set.")
    topics: list[LabelledTopicReliability] = Field(
        description="Its reliability on every topic of the estimation; empty where one explains the votes as well.",
        examples=[[]],
    )

    @property
    def band(self) -> tuple[float, float] | None:
        """Ends of the systematic band around the estimate; None where there is none."""
        if self.estimated is None or self.lower is None or self.upper is None or not self.systematic:
            return None
        from estimator.identifiability import systematic_band  # noqa: PLC0415 - SciPy, which few commands need

        low, high = systematic_band(self.estimated, self.lower, self.upper, self.systematic)
        return float(low), float(high)

    @classmethod
    def of(cls, source: "SourceReliability", run: "EstimationRun | None") -> Self:
        """The view of a source's reliability and the run that estimated it."""
        copy_groups, topics = (run.copy_groups, run.topics) if run else ([], [])
        copy_group = None if source.copy_group is None else CopyGroup.model_validate(copy_groups[source.copy_group])
        values = {field.name: getattr(source, field.name) for field in fields(source)} | {
            "estimation_id": run.id if run else None,
            "prior": run.prior if run else None,
            "copy_group": copy_group,
            "alarm": source.alarm,
            "topics": [
                LabelledTopicReliability(**topic.model_dump(), label=Topic.model_validate(topics[topic.topic]).label)
                for topic in source.topics
            ],
        }
        return cls.model_validate(values)


class SourceWithReliability(SourceView):
    """A source and its reliability."""

    reliability: ReliabilityView = Field(description="Its reliability at present, and where that comes from.")

    @classmethod
    def joined(cls, row: "Source", reliability: "SourceReliability", run: "EstimationRun | None") -> Self:
        return cls(**SourceView.model_validate(row).model_dump(), reliability=ReliabilityView.of(reliability, run))


SourceList: TypeAlias = ListView[SourceWithReliability]


class RunSourceView(View):
    """The estimate of one source by one estimation."""

    estimation_id: UUID = Field(description="The estimation.")
    source_id: UUID = Field(description="The source, which may have been deleted since.")
    source_name: str = Field(description="Its name at the time of the run.", examples=["Acme's blog"])
    reliability: Share | None = Field(
        description="Estimated share of its votes that are right, or of its statements where misreadings are told "
        "apart; of a source that votes only on queries to which several answers may be true, the share of the answers "
        "that it lists which are. Null where nothing was known."
    )
    lower: Share | None = Field(description="Lower end of its 90 % interval; null in old runs.")
    upper: Share | None = Field(description="Upper end of it.")
    sensitivity: Sensitivity
    specificity: Specificity
    weight: float = Field(description="Weight of its votes.")
    vote_count: int = Field(description="Votes it cast.")
    agreement_count: AgreementCount
    conflict_count: ConflictCount
    misread_count: int | None = Field(
        description="How many of them look misread; null where the estimation did not tell."
    )
    abstention_count: int = Field(description="Queries it was read for and did not vote on.")
    copy_group: int | None = Field(
        description="Place in the estimation's list of copy groups; null for an independent source."
    )
    turned_at: Time | None = Field(
        description="When its present period began, if it turned; `reliability` is that of this period.",
        examples=["2026-03-01T00:00:00Z"],
    )
    periods: list[ReliabilityPeriod] = Field(
        description="Its reliability over time, the present last; empty for a source that did not turn."
    )
    rating: Share | None = Field(description="The rating that entered the estimate; null for none.")
    rating_strength: float | None = Field(description="How many votes that rating counted as.")
    topics: list[TopicReliability] = Field(description="Its reliability on every topic of the estimation.")


RunSourceList: TypeAlias = ListView[RunSourceView]


class ExplainedVoteView(View):
    """A vote of a source in the current estimation, and the sentence that it was read from."""

    query_id: UUID = Field(description="The query.")
    query_text: str = Field(description="Its text.", examples=["In which city was the Zephyr 3 announced?"])
    answer: str | None = Field(description="Answer of the source.", examples=["Oslo"])
    run_answer: str | None = Field(description="The answer that the estimation gave the query.", examples=["Bergen"])
    agrees: bool | None = Field(description="Whether they are the same.")
    quote: str | None = Field(
        description="The sentence that has the answer; null where the documents no longer have it.",
        examples=["The Zephyr 3 was announced in Oslo."],
    )
    document_id: UUID | None = Field(description="The document of the quote.")
    title: str | None = Field(description="Its title.", examples=["The Zephyr 3 is here"])


class SourceVotes(View):
    """The votes of a source in the current estimation."""

    votes: int = Field(description="How many there are.")
    agreeing: int = Field(description="How many are for the answer of the estimation.")
    items: list[ExplainedVoteView] = Field(description="The votes shown, those against the estimation's answers first.")


class ChangedAnswerView(View):
    """A query whose answer rests on a source."""

    query_id: UUID = Field(description="The query.")
    query_text: str = Field(description="Its text.", examples=["In which city was it announced?"])
    answer: str | None = Field(
        description="Consensus of the votes; null if several answers are tied.", examples=["Oslo"]
    )
    without: str | None = Field(
        description="Consensus without the votes of the source; null if none is left or several answers are tied.",
        examples=["Bergen"],
    )


class InfluenceView(View):
    """The influence of a source: the answers to queries that would differ without it."""

    estimation_id: UUID | None = Field(description="The estimation whose reliabilities count; null before the first.")
    queries: int = Field(description="Active queries with one answer on which it votes, the newest 10,000.")
    changed: list[ChangedAnswerView] = Field(description="Queries with another answer without it, the newest first.")


class PastEstimate(RunSourceView):
    """The estimate of one source by one estimation, and how that estimated: where this changes from one to the next,
    the source need not have changed.
    """

    number: int = Field(description="Number of the estimation in the corpus.")
    method: str | None = Field(description="How votes became reliabilities.", examples=["one_coin"])
    reader: str | None = Field(description="Name of the reader.", examples=["openai:qwen2.5:7b"])

    @classmethod
    def of(cls, estimate: "RunSource", run: "EstimationRun") -> Self:
        how = {"number": run.number, "method": run.method, "reader": run.reader}
        return cls(**RunSourceView.model_validate(estimate).model_dump(), **how)


ReliabilityHistory: TypeAlias = ListView[PastEstimate]
