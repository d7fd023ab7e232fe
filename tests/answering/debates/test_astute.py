"""Astute RAG: memory, consolidation, labels, groups with confidence, and the choice."""

from answering.debates.astute import BY_CONFIDENCE, astute
from answering.debates.driver import DebateLimits, run
from answering.debates.execution import Services
from answering.debates.protocol import DebateResult
from answering.debates.schema import AstuteParameters, SourceLabels, StopReason
from answering.models.usage import Budget
from tests.answering.debates.examples import DOCUMENTS, QUESTION, by_prompt
from tests.fakes.scripted_chat import ScriptedChat
from tests.tables import for_each

RECALLED = "Passage 1: The choir of Sund is led by Ada Lund, I am sure.\nPassage 2: The choir has a second leader."
GROUPS = "[1]: Lena Dahl leads it.\n[2]: Ivar Brask leads it on the island.\n[5]: Ada Lund leads it."
FINDINGS = (
    "[1]: Lena Dahl (80)\n[2]: Ivar Brask (60)\n[3]: Tom Reed (10)\n[5]: Ada Lund (40)\nFinal: Lena Dahl; Ivar Brask"
)


def models(*, recall: str = RECALLED, consolidate: str = GROUPS, answer: str = FINDINGS) -> ScriptedChat:
    return ScriptedChat(by_prompt({
        "astute_recall": recall, "astute_consolidate": consolidate, "astute_answer": answer,
    }))  # fmt: skip


async def run_debate(chat: ScriptedChat, settings: AstuteParameters | None = None, **limits: int) -> DebateResult:
    return await run(astute(QUESTION, DOCUMENTS, settings), Services(chat), DebateLimits(Budget(**limits)))


async def test_the_chosen_answers_with_documents_and_confidence() -> None:
    result = await run_debate(models())
    assert [(answer.answer, answer.documents, answer.confidence) for answer in result.answers] == [
        ("Lena Dahl", ("d1",), 0.8),
        ("Ivar Brask", ("d2",), 0.6),
    ]
    assert (result.stop_reason, result.usage.model_calls) == (StopReason.ANSWERED, 2)
    assert "Documents 3: Tom Reed (10%)." in result.explanation


async def test_internal_passages_are_numbered_after_the_external_and_labelled() -> None:
    chat = models()
    await run_debate(chat, AstuteParameters(passages=2))
    call = chat.calls[1].message
    assert "<document 1, from a publisher>\nThe choir of Sund has been led by Lena Dahl" in call
    assert "<document 5, from memory>\nThe choir of Sund is led by Ada Lund, I am sure.\n</document>" in call
    assert "<document 6, from memory>" in call


async def test_no_more_passages_are_kept_than_asked_for() -> None:
    chat = models()
    await run_debate(chat, AstuteParameters(passages=1))
    assert "Write at most 1 passage." in chat.calls[0].message
    assert "<document 6" not in chat.calls[1].message


async def test_a_model_that_knows_nothing_adds_nothing() -> None:
    chat = models(recall="I don't know.")
    await run_debate(chat)
    assert "from memory" not in chat.calls[1].message


@for_each(
    ("labels", "label"),
    [
        (SourceLabels.NONE, "<document 1>"),
        (SourceLabels.KIND, "<document 1, from a publisher>"),
        (SourceLabels.RELIABILITY, "<document 1, from a publisher, its source is right 90% of the time>"),
    ],
)
async def test_labels_of_passages(labels: SourceLabels, label: str) -> None:
    chat = models()
    await run_debate(chat, AstuteParameters(labels=labels))
    assert label in chat.calls[1].message
    assert ("from memory" in chat.calls[1].message) is (labels is not SourceLabels.NONE)


async def test_it_consolidates_t_times_and_shows_earlier_groups() -> None:
    chat = models()
    result = await run_debate(chat, AstuteParameters(consolidations=3))
    recall, first, second, answering = chat.calls
    assert "<group" not in first.message + recall.message
    assert "<group of documents 2>\nIvar Brask leads it on the island.\n</group>" in second.message
    assert "<group of documents 5>" in answering.message
    assert (result.rounds, result.usage.model_calls) == (3, 4)


async def test_unreadable_groups_leave_the_earlier_ones() -> None:
    chat = models(consolidate="They all agree.")
    result = await run_debate(chat, AstuteParameters(consolidations=2))
    assert [answer.answer for answer in result.answers] == ["Lena Dahl", "Ivar Brask"]


async def test_an_answer_from_memory_has_no_documents() -> None:
    result = await run_debate(models(answer="[5]: Ada Lund (70)\nFinal: Ada Lund"))
    assert [(answer.answer, answer.documents, answer.confidence) for answer in result.answers] == [
        ("Ada Lund", (), 0.7)
    ]


async def test_an_answer_of_neither_memory_nor_a_document_is_left_out() -> None:
    result = await run_debate(models(answer="[1]: Napoleon (99)\nFinal: Napoleon; Lena Dahl"))
    assert [answer.answer for answer in result.answers] == ["Lena Dahl"]
    assert result.unsupported == ("Napoleon",)


async def test_without_a_final_line_the_surest_group_wins() -> None:
    result = await run_debate(models(answer="[1]: Lena Dahl (30)\n[2]: Ivar Brask (60)"))
    assert [answer.answer for answer in result.answers] == ["Ivar Brask"]
    assert result.explanation.endswith(BY_CONFIDENCE)


async def test_without_documents_memory_may_answer() -> None:
    result = await run(astute(QUESTION, ()), Services(models(answer="[1]: Ada Lund (70)\nFinal: Ada Lund")))
    assert [answer.answer for answer in result.answers] == ["Ada Lund"]
    result = await run(astute(QUESTION, ()), Services(models(recall="I don't know")))
    assert result.stop_reason is StopReason.NO_DOCUMENTS
    result = await run(astute(QUESTION, (), AstuteParameters(passages=0)), Services())
    assert result.stop_reason is StopReason.NO_DOCUMENTS
