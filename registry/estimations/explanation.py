"""Votes of a run, each with the sentence that it was read from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from uuid import UUID

from answering.judges.quotes import find_quote, sentence_at
from registry.documents.store import contents
from registry.estimations.model import Vote
from registry.estimations.store import SourceVote
from registry.platform.database.base import AsyncSession

VoteT = TypeVar("VoteT", Vote, SourceVote)
# Text around an occurrence of the answer in which its sentence is looked for.
MARGIN = 500


@dataclass(frozen=True, slots=True)
class ExplainedVote(Generic[VoteT]):
    """A vote, and the sentence that states its answer, None where the documents no longer do."""

    vote: VoteT
    quote: str | None = None
    document_id: UUID | None = None
    title: str | None = None
    passage: str | None = None
    """The text around that sentence."""


async def explain_votes(session: AsyncSession, votes: Sequence[VoteT]) -> list[ExplainedVote[VoteT]]:
    """The votes with quotes of the documents that they were read from, as these are now."""
    ids = {UUID(document_id) for vote in votes for document_id in vote.document_ids}
    documents = await contents(session, ids)
    return [_explained(vote, documents) for vote in votes]


def _explained(vote: VoteT, documents: Mapping[UUID, tuple[str, str]]) -> ExplainedVote[VoteT]:
    for document_id in map(UUID, vote.document_ids if vote.answer else ()):
        title, content = documents.get(document_id, ("", ""))
        answer = find_quote(content, vote.answer or "")
        if answer is not None:
            first = max(0, answer.start - MARGIN)
            around = content[first : answer.end + MARGIN]
            sentence = sentence_at(around, answer.start - first, answer.end - first)
            return ExplainedVote(vote, sentence.text, document_id, title, around)
    return ExplainedVote(vote)
