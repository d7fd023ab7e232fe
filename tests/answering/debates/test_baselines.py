"""The baselines of debates: the closed book, one prompt with all documents, and several samples of that."""

from answering.debates.concatenated import concatenated
from answering.debates.driver import DebateLimits, run
from answering.debates.execution import Services
from answering.debates.no_rag import no_rag
from answering.debates.schema import Chosen, ConcatenatedParameters, ConsistencyParameters, StopReason
from answering.debates.self_consistency import self_consistency
from answering.models.usage import Budget
from tests.answering.debates.examples import DOCUMENTS, QUESTION
from tests.fakes.scripted_chat import ScriptedChat


def samples(*replies: str) -> ScriptedChat:
    remaining = iter(replies)
    return ScriptedChat(lambda _call: next(remaining))


async def test_samples_differ_in_seed_and_frequent_answers_win() -> None:
    chat = samples(
        'Answers: ["Lena Dahl", "Ivar Brask"]',
        'Answers: ["lena dahl"]',
        'Answers: ["Tom Reed", "Lena Dahl"]',
        'Answers: ["Ivar Brask"]',
    )
    parameters = ConsistencyParameters(samples=4, temperature=0.9)
    result = await run(self_consistency(QUESTION, DOCUMENTS, parameters), Services(chat), DebateLimits(concurrency=1))
    answers = [(answer.answer, answer.confidence) for answer in result.answers]
    assert answers == [("Lena Dahl", 0.75), ("Ivar Brask", 0.5)]
    assert len({call.sampling.seed for call in chat.calls}) == 4
    assert {call.sampling.temperature for call in chat.calls} == {0.9}


async def test_if_no_answer_reaches_the_share_the_most_frequent_win() -> None:
    chat = samples('Answers: ["Lena Dahl"]', 'Answers: ["Tom Reed"]', 'Answers: ["Ivar Brask"]')
    result = await run(self_consistency(QUESTION, DOCUMENTS, ConsistencyParameters(samples=3)), Services(chat))
    assert len(result.answers) == 3


async def test_most_samples_may_abstain() -> None:
    chat = samples("Answers: []", "Answers: unknown", 'Answers: ["Tom Reed"]')
    result = await run(self_consistency(QUESTION, DOCUMENTS, ConsistencyParameters(samples=3)), Services(chat))
    assert result.answers == ()


async def test_samples_beyond_the_budget_are_left_out() -> None:
    chat = ScriptedChat('Answers: ["Lena Dahl"]')
    result = await run(self_consistency(QUESTION, DOCUMENTS), Services(chat), DebateLimits(Budget(calls=2)))
    assert result.stop_reason is StopReason.OUT_OF_BUDGET
    assert [answer.answer for answer in result.answers] == ["Lena Dahl"]


async def test_a_model_may_select_a_sample() -> None:
    chat = samples('Answers: ["Lena Dahl"]', 'Answers: ["Tom Reed"]', 'Answers: ["Ivar Brask"]', "Reply 2.")
    selected = ConsistencyParameters(samples=3, chosen=Chosen.SELECTED)
    result = await run(self_consistency(QUESTION, DOCUMENTS, selected), Services(chat), DebateLimits(concurrency=1))
    assert [answer.answer for answer in result.answers] == ["Tom Reed"]
    assert "<reply 3>\nAnswers: Ivar Brask.\n</reply>" in chat.calls[-1].message


async def test_where_the_model_selects_no_sample_answers_are_counted() -> None:
    chat = samples('Answers: ["Lena Dahl"]', 'Answers: ["Lena Dahl"]', 'Answers: ["Ivar Brask"]', "17", "None.")
    selected = ConsistencyParameters(samples=3, chosen=Chosen.SELECTED)
    result = await run(self_consistency(QUESTION, DOCUMENTS, selected), Services(chat), DebateLimits(concurrency=1))
    assert [answer.answer for answer in result.answers] == ["Lena Dahl"]


async def test_no_document_is_shown_and_none_supports_the_answers() -> None:
    chat = ScriptedChat('Answers: ["Lena Dahl", "lena dahl", "Tom Reed"]')
    result = await run(no_rag(QUESTION), Services(chat))
    assert chat.calls[0].message == f"Question: {QUESTION}"
    assert [(answer.answer, answer.documents) for answer in result.answers] == [("Lena Dahl", ()), ("Tom Reed", ())]


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
