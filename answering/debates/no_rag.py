"""The closed-book baseline: what the language model answers without any document."""

from answering.debates.parsing.answers import parse_answers
from answering.debates.protocol import Ask, Debate, DebateResult, ask, no_answer
from answering.debates.quoting import question_line
from answering.debates.schema import StopReason
from answering.debates.strategy import StrategyDefinition
from answering.debates.support import AnswerPolicy, remembered_answers
from answering.parameters import Parameters
from answering.prompts import load_prompt


def no_rag(question: str, policy: AnswerPolicy | None = None) -> Debate:
    """Answers from the model's memory; no document supports them.

    >>> (request,) = next(no_rag("Who leads the choir?"))
    >>> request.message
    'Question: Who leads the choir?'
    """
    request = Ask("model", 1, load_prompt("closed_book"), question_line(question), parse_answers)
    (reply,) = yield from ask([request])
    if reply.value is None:
        return no_answer(reply)
    answers = remembered_answers(reply.value.answers, policy or AnswerPolicy())
    return DebateResult(answers, reply.value.explanation, StopReason.ANSWERED, 1)


NO_RAG = StrategyDefinition(
    "no_rag",
    Parameters,
    lambda question, _documents, _parameters, policy: no_rag(question, policy),
    lambda _documents, _parameters: 1,
    uses_documents=False,
)
