"""Queries as callers send them."""

from typing import Annotated

from pydantic import Field, StrictBool

from registry.inputs.fields import Attributes, ExternalId, Input, Name, NotBlank, Question, Storable

Answer = Annotated[str, Field(min_length=1, max_length=2_000), Storable, NotBlank]
GoldAnswers = Annotated[list[Answer], Field(min_length=1, max_length=100)]


class QueryInput(Input):
    """A new query."""

    text: Question
    """A closed-ended question: one with a short, definite answer."""
    external_id: ExternalId | None = None
    """The caller's identifier, unique in the corpus; a query sent again replaces the former one. By default it is
    derived from the text, so that the same text again is the same query."""
    gold_answers: GoldAnswers | None = None
    """Right answers, for audits, and for estimations with `use_gold`."""
    topic: Name | None = None
    """What it is about, in a word or two; without one, topics are found by embeddings."""
    attributes: Attributes = Field(default_factory=dict)
    """Any other fields, as a JSON object."""
    active: StrictBool = True
    """Whether estimations use it."""


class QueryPatch(Input):
    """Fields to change; those left out stay."""

    text: Question | None = None
    """A closed-ended question: one with a short, definite answer."""
    gold_answers: GoldAnswers | None = None
    """Right answers; null removes them."""
    topic: Name | None = None
    """What it is about; null removes it."""
    attributes: Attributes | None = None
    """Any other fields, as a JSON object; replaces the former ones."""
    active: StrictBool | None = None
    """Whether estimations use it."""
