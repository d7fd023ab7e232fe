"""DRAG: a debate about what to search for, then one about the answer (Hu et al. 2025).

Both stages can be switched off. In the second, only the proponent sees documents, unless information is symmetric.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from answering.debates.drag_response import ResponseDebate
from answering.debates.drag_retrieval import RetrievalDebate
from answering.debates.protocol import Debate, DebateResult, SourceDocument, StopReason
from answering.equivalence import ClassPolicy
from answering.errors import BadParameter

DEFAULT_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class DragSettings:
    """Rounds at most of the two stages: without retrieval rounds the documents given are all there are, and without
    response rounds the proponent's first answer is the answer.

    Each search finds `per_query` documents, of selected sources only unless `selected_only` is off.
    """

    retrieval_rounds: int = DEFAULT_ROUNDS
    response_rounds: int = DEFAULT_ROUNDS
    symmetric: bool = False
    selected_only: bool = True
    per_query: int = 3
    policy: ClassPolicy = ClassPolicy.VALUES

    def __post_init__(self) -> None:
        if self.retrieval_rounds < 0 or self.response_rounds < 0:
            raise BadParameter("a stage of the debate has 0 rounds, which switches it off, or more")
        if self.per_query < 1:
            raise BadParameter(f"a search finds at least 1 document, not {self.per_query}")


def drag(question: str, documents: Sequence[SourceDocument], settings: DragSettings | None = None) -> Debate:
    """The debate that begins with these documents, or, without any, with a search for the question."""
    given = settings or DragSettings()
    retrieval = RetrievalDebate(
        question,
        documents,
        rounds=given.retrieval_rounds,
        per_query=given.per_query,
        selected_only=given.selected_only,
    )
    spent = yield from retrieval.debate()
    found = retrieval.documents
    if spent:
        return DebateResult((), "The budget was spent on the search.", StopReason.OUT_OF_BUDGET, 0)
    if not found:
        return DebateResult((), "Nothing was found to answer from.", StopReason.NO_DOCUMENTS, 0)
    response = ResponseDebate(
        question, found, rounds=given.response_rounds, symmetric=given.symmetric, policy=given.policy
    )
    return (yield from response.debate())
