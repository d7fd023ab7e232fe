"""Readings that look misread, and the verdicts on them."""

from typing import TYPE_CHECKING, Self, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from api.http.schemas.base import ListView, Share, Time, View
from registry.platform.enums import Verdict

if TYPE_CHECKING:
    from registry.estimations.explanation import ExplainedVote
    from registry.estimations.model import Vote
    from registry.readings.store.misreadings import SuspectedReading


class VerdictInput(BaseModel):
    """A person's verdict."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    verdict: Verdict
    """`confirmed`: the passage does not say so, and the reading never votes again. `rejected`: it was read rightly."""


class VerdictView(View):
    """The verdict on a reading; it holds as long as the same answer is read from the same passage."""

    verdict: Verdict = Field(description="`confirmed` misreadings never vote; `rejected` ones count as read rightly.")
    created_by: str = Field(description="Name of the API key that set it, or `anonymous`.", examples=["ops"])
    created_at: Time = Field(description="When it was first set.")


class JudgedView(VerdictView):
    """A verdict, and the reading that it is on."""

    question: str = Field(description="The question.", examples=["What is the capital of Luxembourg?"])
    answer: str = Field(description="What was read.", examples=["Brussels"])


class MisreadingView(View):
    """A reading of the current estimation that looks misread, or that a person judged."""

    id: UUID = Field(description="Identifier of the reading: of the source, question, answer and passage.")
    source_id: UUID = Field(description="The source.")
    source_name: str | None = Field(description="Its name at the time of the estimation.", examples=["Acme's blog"])
    query_id: UUID = Field(description="The query.")
    question: str = Field(description="Its text.", examples=["What is the capital of Luxembourg?"])
    answer: str = Field(description="What was read.", examples=["Brussels"])
    accepted_answer: str | None = Field(
        description="The answer of the estimation to the query; null if there is none.", examples=["Luxembourg"]
    )
    probability: Share | None = Field(
        description="Probability that it is a misreading; null where it is small or the reading does not vote."
    )
    confidence: Share | None = Field(description="Confidence of the reader.")
    quote: str | None = Field(
        description="The sentence that has the answer; null where the documents no longer have it.",
        examples=["The capital of Belgium is Brussels."],
    )
    passage: str | None = Field(
        description="The text around it.", examples=["Belgium. The capital of Belgium is Brussels. Its currency ..."]
    )
    document_id: UUID | None = Field(description="The document of the quote.")
    title: str | None = Field(description="Its title.", examples=["Belgium"])
    verdict: VerdictView | None = Field(description="Verdict of a person; null if nobody looked.")

    @classmethod
    def of(cls, suspected: "SuspectedReading", explained: "ExplainedVote[Vote]") -> Self:
        vote = suspected.vote
        return cls(
            id=vote.reading_id,
            source_id=vote.source_id,
            source_name=suspected.source_name,
            query_id=vote.query_id,
            question=suspected.question,
            answer=vote.answer or "",
            accepted_answer=suspected.run_answer,
            probability=vote.misread,
            confidence=vote.confidence,
            quote=explained.quote,
            passage=explained.passage,
            document_id=explained.document_id,
            title=explained.title,
            verdict=suspected.verdict and VerdictView.model_validate(suspected.verdict),
        )


MisreadingList: TypeAlias = ListView[MisreadingView]
