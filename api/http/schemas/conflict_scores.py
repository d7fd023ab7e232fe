"""Responses to be scored, and their scores."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from registry.inputs.conflict_scores import MAX_DOCUMENTS, ConflictParameters, GivenDocument
from registry.inputs.fields import NotBlank, Question, Storable
from registry.results.conflict_score import ConflictScoreView, RegeneratedView

MAX_RESPONSE_CHARACTERS = 20_000

Response = Annotated[str, Field(min_length=1, max_length=MAX_RESPONSE_CHARACTERS), Storable, NotBlank]


class ConflictInput(BaseModel):
    """A response to be held against documents."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    response: Response
    """What somebody, or a language model, wrote."""
    question: Question | None = None
    """What it answers. A short answer is judged together with its question; the search for documents goes by it."""
    documents: Annotated[list[GivenDocument], Field(max_length=MAX_DOCUMENTS)] | None = None
    """What to hold it against; null has the corpus searched, by the question or else by every claim."""
    regenerate: bool = Field(default=False, strict=True)
    """Whether the configured language model is to write it anew, with the contested claims fed back."""
    parameters: ConflictParameters = ConflictParameters()
    """How the score is to be made."""


class ConflictAnswer(BaseModel):
    """The score of a response, and the response written anew where that was asked for."""

    model_config = ConfigDict(frozen=True, from_attributes=True, use_attribute_docstrings=True)

    score: ConflictScoreView
    """Both numbers, and the evidence on every claim."""
    regenerated: RegeneratedView | None
    """Null unless it was asked for."""
