"""The baselines behind the same port."""

import pytest

from answering.debates import (
    ConcatenatedSettings,
    ConsistencySettings,
    DebateLimits,
    Services,
    StopReason,
    concatenated,
    no_rag,
    run,
    self_consistency,
)
from answering.errors import BadParameter
from answering.models import ScriptedChat
from answering.models.usage import Budget
from tests.answering.debates.worlds import DOCUMENTS, QUESTION


def samples(*replies: str) -> ScriptedChat:
    waiting = iter(replies)
    return ScriptedChat(lambda _asked: next(waiting))


async def test_no_rag_shows_no_document_and_supports_nothing() -> None:
    chat = ScriptedChat('Answers: ["Lena Dahl", "lena dahl", "Tom Reed"]')
    done = await run(no_rag(QUESTION), Services(chat))
    assert chat.calls[0].message == f"Question: {QUESTION}"
    assert [(one.answer, one.documents) for one in done.answers] == [("Lena Dahl", ()), ("Tom Reed", ())]


async def test_the_concatenated_prompt_shows_all() -> None:
    chat = ScriptedChat('Answers: ["Lena Dahl", "Napoleon"]\nExplanation: Two documents.')
    done = await run(concatenated(QUESTION, DOCUMENTS), Services(chat))
    (call,) = chat.calls
    assert all(document.text in call.message for document in DOCUMENTS)
    assert call.message.endswith(f"Question: {QUESTION}")
    assert [(one.answer, one.documents) for one in done.answers] == [("Lena Dahl", ("d1",))]
    assert (done.unsupported, done.explanation) == (("Napoleon",), "Two documents.")


async def test_documents_may_carry_their_reliability_but_never_their_name() -> None:
    chat = ScriptedChat("Answers: []")
    await run(concatenated(QUESTION, DOCUMENTS, ConcatenatedSettings(show_reliability=True)), Services(chat))
    assert "<document 3, its source is right 30% of the time>" in chat.calls[0].message


async def test_samples_differ_in_seed_and_the_usual_answers_win() -> None:
    chat = samples(
        'Answers: ["Lena Dahl", "Ivar Brask"]',
        'Answers: ["lena dahl"]',
        'Answers: ["Tom Reed", "Lena Dahl"]',
        'Answers: ["Ivar Brask"]',
    )
    settings = ConsistencySettings(samples=4, temperature=0.9)
    done = await run(self_consistency(QUESTION, DOCUMENTS, settings), Services(chat), DebateLimits(concurrency=1))
    assert [(one.answer, one.confidence) for one in done.answers] == [("Lena Dahl", 0.75), ("Ivar Brask", 0.5)]
    assert len({call.sampling.seed for call in chat.calls}) == 4
    assert {call.sampling.temperature for call in chat.calls} == {0.9}


async def test_when_no_answer_is_usual_the_most_frequent_win() -> None:
    chat = samples('Answers: ["Lena Dahl"]', 'Answers: ["Tom Reed"]', 'Answers: ["Ivar Brask"]')
    done = await run(self_consistency(QUESTION, DOCUMENTS, ConsistencySettings(3)), Services(chat))
    assert len(done.answers) == 3


async def test_most_samples_may_abstain() -> None:
    chat = samples("Answers: []", "Answers: unknown", 'Answers: ["Tom Reed"]')
    done = await run(self_consistency(QUESTION, DOCUMENTS, ConsistencySettings(3)), Services(chat))
    assert done.answers == ()


async def test_samples_beyond_the_budget_are_done_without() -> None:
    chat = ScriptedChat('Answers: ["Lena Dahl"]')
    done = await run(self_consistency(QUESTION, DOCUMENTS), Services(chat), DebateLimits(Budget(calls=2)))
    assert (done.stop_reason, [one.answer for one in done.answers]) == (StopReason.OUT_OF_BUDGET, ["Lena Dahl"])


@pytest.mark.parametrize("make", [lambda: no_rag(QUESTION), lambda: concatenated(QUESTION, DOCUMENTS)])
async def test_an_unreadable_reply_is_no_answer(make) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    done = await run(make(), Services(ScriptedChat("Hm.")))
    assert (done.answers, len(done.transcript[0].unreadable)) == ((), 2)
    done = await run(make(), Services(ScriptedChat("Hm.")), DebateLimits(Budget(calls=0)))
    assert done.stop_reason is StopReason.OUT_OF_BUDGET


async def test_without_documents_nobody_is_asked() -> None:
    for debate in (concatenated(QUESTION, ()), self_consistency(QUESTION, ())):
        assert (await run(debate, Services())).stop_reason is StopReason.NO_DOCUMENTS


@pytest.mark.parametrize("wrong", [{"samples": 0}, {"share": 0.0}, {"share": 1.1}])
def test_settings_make_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(BadParameter):
        ConsistencySettings(**wrong)  # type: ignore[arg-type]
