"""The classes of imported answers."""

from collections.abc import Collection

from answering.equivalence import ClassPolicy, answer_key
from answering.readers.yes_no import asks_yes_or_no
from registry.platform.enums import QueryOrigin
from registry.votes.store import VotedQuery

YES_OR_NO = frozenset(answer_key(answer, ClassPolicy.VALUES) for answer in ("yes", "no"))


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


def is_yes_or_no(query: VotedQuery | None, keys: Collection[str]) -> bool:
    """Whether the query has two possible answers: by its text, or, if that says nothing, by the classes of all votes.

    >>> is_yes_or_no(None, ["text:yes", "text:no"]), is_yes_or_no(None, ["text:yes", "text:red"])
    (True, False)
    """
    question = question_of(query) if query else None
    return YES_OR_NO.issuperset(keys) if question is None else asks_yes_or_no(question)
