"""The classes of imported answers."""

from answering.equivalence import ClassPolicy, answer_key
from registry.platform.enums import QueryOrigin
from registry.votes.store import VotedQuery


def class_key(answer: str, query: VotedQuery | None) -> str:
    """The class of an imported answer."""
    if query is None:
        return answer_key(answer, ClassPolicy.VALUES)
    return query.joins.key_of(answer, ClassPolicy.VALUES, question_of(query))


def question_of(query: VotedQuery) -> str | None:
    """The text of the query; None of one that came with votes, which is an item and no question, so that its text says
    nothing of what its answers mean.
    """
    return None if query.origin == QueryOrigin.VOTES else query.text
