"""The vote on the items of lists, where the weighted vote decides on a question for several."""

from uuid import UUID

from answering.equivalence import Joins, listed_items
from answering.readers import asks_for_several
from answering.voting import Count, ListedVote
from registry.answers.schemas import AnswerParameters, Strategy


def vote_on_items(
    question: str, parameters: AnswerParameters, count: Count[UUID], joins: Joins
) -> ListedVote[UUID] | None:
    """The vote on each item that these votes list; None where the question asks for one answer, or a debate may decide,
    where no vote lists several, and where no item wins.
    """
    if parameters.strategy is not Strategy.WMV or parameters.paper or not asks_for_several(question):
        return None
    items = listed_items([vote.answer for vote in count.votes], parameters.class_policy, question, joins)
    if all(len(listed) < 2 for listed in items):
        return None
    return ListedVote.of(count, {vote.source_id: listed for vote, listed in zip(count.votes, items, strict=True)})
