"""Queries as callers send them, and the queries that would narrow the estimates most."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, StrictBool

from registry.platform.enums import AnswerPolicy
from registry.platform.fields import Attributes, ExternalId, Input, Name, NotBlank, Question, Result, Score, Storable

Answer = Annotated[str, Field(min_length=1, max_length=2_000), Storable, NotBlank]
MAX_GOLD_ANSWERS = 100
MAX_WORDINGS = 20
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
    """Topic in a word or two; without one, topics are found by embeddings."""
    attributes: Attributes = Field(default_factory=dict)
    """Any other fields, as a JSON object."""
    answers: AnswerPolicy | None = None
    """Policy of imported answers: `one` is right, `several` may be, or a `number`; null: as the corpus says."""
    active: StrictBool = True
    """Whether estimations use it."""


class QueryPatch(Input):
    """Fields to change; those left out stay."""

    text: Question | None = None
    """A closed-ended question: one with a short, definite answer."""
    gold_answers: GoldAnswers | None = None
    """Right answers; null removes them."""
    topic: Name | None = None
    """Topic; null removes it."""
    attributes: Attributes | None = None
    """Any other fields, as a JSON object; replaces the former ones."""
    answers: AnswerPolicy | None = None
    """Policy of imported answers: `one` is right, `several` may be, or a `number`; null: as the corpus says."""
    active: StrictBool | None = None
    """Whether estimations use it."""


class GoldInput(Input):
    """Right answers of a query."""

    answers: GoldAnswers
    """Right answers; each is right by itself if there are several."""
    replace: StrictBool = False
    """Whether they take the place of those that the query has, instead of being added to them."""


class JoinInput(Input):
    """Wordings that are one answer to a question."""

    question: Question
    """The question. The join holds where this text is asked, and for the query of this text."""
    answers: Annotated[list[Answer], Field(min_length=2, max_length=MAX_WORDINGS)]
    """The wordings, as sources give them. Joins of a question that share a wording are one."""


class SourceWidth(Result):
    """The width of the interval of a source in a run."""

    source_id: UUID = Field(description="The source.")
    source_name: str = Field(description="Its name at the time of the run.", examples=["Acme's blog"])
    votes: int = Field(description="Votes it cast.")
    width: Score = Field(description="Width of its 90 % interval.")
    expected_width: Score = Field(
        description="The same with more queries, of which it answers as large a share as of those of the run."
    )
    expected_if_it_answers: Score = Field(
        description="The same where it answers each of them, as it does those written from its own documents."
    )


class MoreQueries(Result):
    """The widths of the intervals in a run, and the gain of more queries: intervals narrow with the square root of the
    votes, but for what they allow for misreadings.
    """

    queries: int = Field(description="How many more.")
    width: Score = Field(description="Mean width of the 90 % intervals of the sources with votes.")
    expected_width: Score = Field(description="The same with so many more queries like those of the run.")
    sources: list[SourceWidth] = Field(
        description="The sources of which least is known, at most 20, widest interval first. Generated queries are "
        "written from their documents first."
    )
    suggestions: tuple[str, ...] = Field(
        default=(),
        description="At most five generated queries that wait to be activated, first those from documents of the "
        "sources of which least is known.",
    )


class VoteCounts(Result):
    """Votes on a query that its right answers judge."""

    right: int
    """Votes for a right answer."""
    wrong: int
    """Votes for another one."""


class MovedVote(Result):
    """A vote that the right answers judge otherwise than before."""

    source_id: UUID
    """The source."""
    source_name: str | None
    """Its name at the time of the estimation."""
    answer: str
    """What it says."""
    before: bool | None
    """Whether it was right; null if nothing was said to be right."""
    after: bool | None
    """Whether it is right now; null if nothing is said to be right."""
