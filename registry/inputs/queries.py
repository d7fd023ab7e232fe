"""Queries as callers send them."""

from typing import Annotated

from pydantic import Field, StrictBool

from registry.inputs.fields import Attributes, ExternalId, Input, Name, NotBlank, Question, Storable

Answer = Annotated[str, Field(min_length=1, max_length=2_000), Storable, NotBlank]
MAX_GOLD_ANSWERS = 100
GoldAnswers = Annotated[list[Answer], Field(min_length=1, max_length=MAX_GOLD_ANSWERS)]


class QueryInput(Input):
    """A new query."""

    text: Question
    """A closed-ended question: one with a short, definite answer."""
    external_id: ExternalId | None = None
    """The caller's identifier, unique in the corpus; a query sent again replaces the former one, whose gold
    answers stay where none are sent. By default it is derived from the text, so that the same text again is the same
    query."""
    gold_answers: GoldAnswers | None = None
    """Right answers, by which estimations judge votes unless `use_gold` is off, and for audits of the others."""
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


class GoldInput(Input):
    """Right answers of a query."""

    answers: GoldAnswers
    """What is right; each is, where there are several."""
    replace: StrictBool = False
    """Whether they take the place of those that the query has, instead of being added to them."""
