"""Topics of an estimation run."""

from typing import Annotated

from pydantic import Field

from registry.results.base import Result, Score


class Topic(Result):
    """Queries on which the sources are right alike; another topic finds other sources reliable."""

    label: str
    """The topics that its queries were given, else its most typical query."""
    names: tuple[str, ...]
    """All topics given to its queries; those that the votes do not tell apart are one."""
    query_count: Annotated[int, Field(ge=0)]
    """Queries of the run on it."""


class TopicReliability(Result):
    """The reliability of a source on one topic."""

    topic: Annotated[int, Field(ge=0)]
    """Place in the estimation's list of topics."""
    reliability: Score
    """Estimated share of its votes on the topic that are right, drawn towards its reliability on all topics."""
    lower: Score
    """Lower end of its 90 % interval."""
    upper: Score
    """Upper end of it."""
    weight: float
    """Weight of its votes on the topic."""
    vote_count: Annotated[int, Field(ge=0)]
    """Its votes on the topic."""


class QuestionTopic(Topic):
    """The most probable topic of a question; reliabilities counted as expected over the probable topics."""

    topic: Annotated[int, Field(ge=0)]
    """Place in the estimation's list of topics."""
    given: bool
    """Whether the caller named it; otherwise the embeddings of the question and its nearest passages tell."""
    probabilities: tuple[Score, ...]
    """Of every topic of the estimation."""
