"""Questions and answers as they are asked and shown."""

from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from api.http.schemas.base import ListView, Time, View
from api.http.schemas.estimations import Failure
from registry.inputs.answers import AnswerParameters
from registry.inputs.fields import Question
from registry.models import RunStatus
from registry.results.answer import AnswerResult


class QuestionInput(BaseModel):
    """A question to the sources of a corpus."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    question: Question
    """What is asked."""
    parameters: AnswerParameters = AnswerParameters()
    """How the answer is to be made."""


class AnswerSummary(View):
    """A question and how far its answer is."""

    id: UUID = Field(description="Identifier.")
    question: str = Field(description="What was asked.", examples=["In which city was the Zephyr 3 announced?"])
    status: RunStatus = Field(description="Where the answer stands.")
    outcome: str | None = Field(
        description="`answered`, `conflicting`, `unsupported`, `no_evidence`; null before that."
    )
    estimation_id: UUID | None = Field(description="The estimation whose reliabilities counted.")
    created_at: Time = Field(description="When it was asked.")
    finished_at: Time | None = Field(description="When it was answered.")


class AnswerView(AnswerSummary):
    """A question, its answer, and all that made it."""

    parameters: dict[str, Any] = Field(description="The choices it was asked with.", examples=[{"kappa": 4}])
    result: AnswerResult | None = Field(description="The answer; null until there is one.")
    problem: Failure | None = Field(description="Why there will be none; null if nothing went wrong.")


class AnswerList(ListView[AnswerSummary]):
    """A page of answers, without what made them."""
