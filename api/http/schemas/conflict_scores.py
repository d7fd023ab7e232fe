"""Bodies of responses to be scored, and their scores."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from registry.conflict_scores.schemas import (
    MAX_DOCUMENTS,
    ConflictParameters,
    ConflictScoreView,
    GivenDocument,
    RegeneratedView,
)
from registry.platform.fields import NotBlank, Question, Storable

MAX_RESPONSE_CHARACTERS = 20_000

Response = Annotated[str, Field(min_length=1, max_length=MAX_RESPONSE_CHARACTERS), Storable, NotBlank]


class ConflictInput(BaseModel):
    """A response to be compared with documents."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    response: Response
    """The text of the response, written by a person or a language model."""
    question: Question | None = None
    """The question it answers. A short answer is judged together with it, and documents are searched for by it."""
    documents: Annotated[list[GivenDocument], Field(max_length=MAX_DOCUMENTS)] | None = None
    """The documents to compare it with; null searches the corpus, by the question or else by every claim."""
    regenerate: bool = Field(default=False, strict=True)
    """Whether the configured language model regenerates it, with the contested claims fed back."""
    parameters: ConflictParameters = ConflictParameters()
    """Parameters of the score."""


class ConflictAnswer(BaseModel):
    """The score of a response, and the regenerated response if it was requested."""

    model_config = ConfigDict(frozen=True, from_attributes=True, use_attribute_docstrings=True)

    score: ConflictScoreView
    """CS-C and CS-R, and the evidence on every claim."""
    regenerated: RegeneratedView | None
    """Null unless it was requested."""
