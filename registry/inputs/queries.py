"""Queries as callers send them."""

from typing import Annotated

from pydantic import Field, StrictBool

from registry.inputs.fields import Attributes, ExternalId, Input, NotBlank, Question, Storable

Answer = Annotated[str, Field(min_length=1, max_length=2_000), Storable, NotBlank]


GoldAnswers = Annotated[list[Answer], Field(min_length=1, max_length=100)]


class QueryInput(Input):
    """A new query."""

    text: Question
    """A closed-ended question: one with a short, definite answer."""
    external_id: ExternalId | None = None
    """Yours, unique in the corpus: sending it again replaces the query. Without one it gets its own id."""
    gold_answers: GoldAnswers | None = None
    """Right answers, used to audit the estimate and never to make it."""
    attributes: Attributes = Field(default_factory=dict)
    """Anything else, as JSON."""
    active: StrictBool = True
    """Whether estimations ask it."""


class QueryPatch(Input):
    """What to change; what is left out stays."""

    text: Question | None = None
    """A closed-ended question."""
    gold_answers: GoldAnswers | None = None
    """Right answers; null removes them."""
    attributes: Attributes | None = None
    """Anything else, as JSON; replaces what was there."""
    active: StrictBool | None = None
    """Whether estimations ask it."""
