"""Topics of an estimation run."""

from typing import Annotated

from pydantic import Field

from registry.platform.fields import Result, Score


class Topic(Result):
    """Queries on which each source has one reliability, which differs from that on other topics."""

    label: str
    """The topics given to most of its queries, up to three; without any, up to three words that set its queries
    apart from those of the other topics."""
    names: tuple[str, ...]
    """All topics given to its queries, the most frequent first; given topics on which reliabilities do not differ are
    one."""
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
    """The most probable topic of a question. Where it is used, the reliabilities that counted are expectations over all
    topics, weighted by their probabilities; else those over all queries did."""

    topic: Annotated[int, Field(ge=0)]
    """Place in the estimation's list of topics."""
    given: bool
    """Whether the caller named it; otherwise it was inferred from the embeddings of the question and of the passages
    nearest to it."""
    used: bool = True
    """Whether reliabilities by topic counted: the caller named it, or it is probable enough."""
    probabilities: tuple[Score, ...]
    """The probability of every topic of the estimation, in the order of its list."""
