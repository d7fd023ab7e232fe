"""The common form of retrieval-augmented generation: all documents in one prompt."""

from collections.abc import Sequence

from answering.debates.parsing.answers import AnswerList, parse_answers
from answering.debates.protocol import NO_DOCUMENTS, Ask, Debate, DebateResult, SourceDocument, ask, no_answer
from answering.debates.quoting import document_blocks, paragraphs, question_line, reliability_label
from answering.debates.schema import ConcatenatedParameters, StopReason
from answering.debates.strategy import StrategyDefinition
from answering.debates.support import AnswerPolicy, check_support
from answering.models.chat import GREEDY, Sampling
from answering.prompts import load_prompt


def concatenated(
    question: str,
    documents: Sequence[SourceDocument],
    parameters: ConcatenatedParameters | None = None,
    policy: AnswerPolicy | None = None,
) -> Debate:
    """Answers from one prompt with all documents.

    >>> (request,) = next(concatenated("Who leads the choir?", [SourceDocument("d1", "Lena Dahl leads the choir.")]))
    >>> print(request.message)
    <document 1>
    Lena Dahl leads the choir.
    </document>
    <BLANKLINE>
    Question: Who leads the choir?
    """
    parameters = parameters or ConcatenatedParameters()
    if not documents:
        return NO_DOCUMENTS
    request = concatenated_request(question, documents, show_reliability=parameters.show_reliability)
    (reply,) = yield from ask([request])
    if reply.value is None:
        return no_answer(reply)
    support = check_support(reply.value.answers, documents, policy or AnswerPolicy())
    return DebateResult(support.answers, reply.value.explanation, StopReason.ANSWERED, 1, support.unsupported)


def concatenated_request(
    question: str,
    documents: Sequence[SourceDocument],
    *,
    show_reliability: bool,
    sampling: Sampling = GREEDY,
    number: int = 1,
) -> Ask[AnswerList]:
    """The request of one sample with all documents in the prompt; `number` tells samples apart."""
    labels = [reliability_label(document) for document in documents] if show_reliability else None
    message = paragraphs(document_blocks(documents, labels), question_line(question))
    return Ask(f"sample {number}", 1, load_prompt("concatenated"), message, parse_answers, sampling)


CONCATENATED = StrategyDefinition(
    "concatenated",
    ConcatenatedParameters,
    concatenated,
    lambda _documents, _parameters: 1,
    escalation=True,
)
