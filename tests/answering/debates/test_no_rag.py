"""The closed-book baseline."""

from answering.debates.driver import run
from answering.debates.execution import Services
from answering.debates.no_rag import no_rag
from answering.models import ScriptedChat
from tests.answering.debates.examples import QUESTION


async def test_no_document_is_shown_and_none_supports_the_answers() -> None:
    chat = ScriptedChat('Answers: ["Lena Dahl", "lena dahl", "Tom Reed"]')
    result = await run(no_rag(QUESTION), Services(chat))
    assert chat.calls[0].message == f"Question: {QUESTION}"
    assert [(answer.answer, answer.documents) for answer in result.answers] == [("Lena Dahl", ()), ("Tom Reed", ())]
