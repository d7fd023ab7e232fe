"""Bodies of questions, answers, and links that show an answer to whoever has them."""

from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import Failure, ListView, Time, View
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.platform.enums import RunStatus
from registry.platform.fields import Input, Question

if TYPE_CHECKING:
    from registry.answers.model import AnswerRecord


class QuestionInput(Input):
    """A question to the sources of a corpus."""

    question: Question
    """The question."""
    parameters: AnswerParameters = AnswerParameters()
    """Parameters of the answer."""
    follows: UUID | None = None
    """The answer that the question follows up on. What the question leaves to it, as in "When was it built?" or "What
    about Norway?", is taken from its question: by the language model where one is configured, else by rule."""


class AnswerSummary(View):
    """A question and the state of its answer."""

    id: UUID = Field(description="Identifier.")
    question: str = Field(description="The question.", examples=["In which city was the Zephyr 3 announced?"])
    follows_id: UUID | None = Field(description="The answer that it follows up on; null if it does not.")
    typed: str | None = Field(
        description="Follow-up question as sent, from which `question` was made; null if it is none.",
        examples=["And where?"],
    )
    status: RunStatus = Field(description="State of the answer.")
    outcome: str | None = Field(
        description="`answered`, `conflicting`, `unsupported`, `no_evidence`; null before that."
    )
    answers: list[str] = Field(default=[], description="Answers; empty before there are any.")
    estimation_id: UUID | None = Field(description="The estimation whose reliabilities were used.")
    created_at: Time = Field(description="When it was asked.")
    finished_at: Time | None = Field(description="When it was answered.")


class AnswerView(AnswerSummary):
    """A question and its answer, with everything the answer was made of."""

    parameters: dict[str, Any] = Field(
        description="The parameters that the question was asked with: those sent, and what the service filled in.",
        examples=[{"kappa": 4}],
    )
    result: AnswerResult | None = Field(description="The answer; null until there is one.")
    problem: Failure | None = Field(description="Why the answer failed; null if it did not.")

    @classmethod
    def of(cls, record: "AnswerRecord", result: AnswerResult | None) -> "AnswerView":
        """An answer with its result as it is known now (`registry.answers.stored_answer`)."""
        return cls.model_validate(record).model_copy(update={"result": result})


AnswerList: TypeAlias = ListView[AnswerSummary]


class ShareView(View):
    """A link that shows an answer, without the token that opens it."""

    id: UUID = Field(description="Identifier.")
    answer_id: UUID = Field(description="The answer.")
    actor: str = Field(
        description="Kind of caller who made it: `key`, `browser` (in the pages), `anonymous`, `cli` or `job`."
    )
    created_by: str = Field(description="Name of the API key or of the user; else as `actor`.", examples=["ops"])
    created_at: Time = Field(description="When it was made.")
    expires_at: Time = Field(description="When it ends by itself.")


class NewShareView(ShareView):
    """A new link."""

    path: str = Field(
        description="The path of the link at this service, with its token: whoever has it reads the answer. It is "
        "shown only now.",
        examples=["/shared/9wB2o4Jm0pQe5sT7uV8xY1zA3cD6fG-hIjKlMnOpQrS"],
    )


ShareList: TypeAlias = ListView[ShareView]
