"""One prompt with all documents."""

from answering.debates.concatenated import concatenated
from answering.debates.driver import run
from answering.debates.execution import Services
from answering.debates.schema import ConcatenatedParameters
from answering.models import ScriptedChat
from tests.answering.debates.examples import DOCUMENTS, QUESTION


async def test_all_documents_are_shown_and_unsupported_answers_left_out() -> None:
    chat = ScriptedChat('Answers: ["Lena Dahl", "Napoleon"]\nExplanation: Two documents.')
    result = await run(concatenated(QUESTION, DOCUMENTS), Services(chat))
    (call,) = chat.calls
    assert all(document.text in call.message for document in DOCUMENTS)
    assert call.message.endswith(f"Question: {QUESTION}")
    assert [(answer.answer, answer.documents) for answer in result.answers] == [("Lena Dahl", ("d1",))]
    assert (result.unsupported, result.explanation) == (("Napoleon",), "Two documents.")


async def test_documents_may_carry_their_reliability_but_never_their_name() -> None:
    chat = ScriptedChat("Answers: []")
    await run(concatenated(QUESTION, DOCUMENTS, ConcatenatedParameters(show_reliability=True)), Services(chat))
    assert "<document 3, its source is right 30% of the time>" in chat.calls[0].message
