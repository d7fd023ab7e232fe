"""MADAM-RAG: its rounds, its stopping rule, its switches, and what supports its answers."""

from dataclasses import replace
from datetime import date

from answering.debates.driver import DebateLimits, run
from answering.debates.execution import Services
from answering.debates.madam import EVERY, MAJORITY, NO_AGGREGATE, madam, majority, unchanged
from answering.debates.parsing.answers import AgentAnswer
from answering.debates.protocol import DebateResult
from answering.debates.quoting import DATED
from answering.debates.schema import FirstReading, MadamParameters, Seen, StopReason, TurnKind, Unaggregated
from answering.debates.support import AnswerPolicy
from answering.models.usage import Budget
from tests.answering.debates.examples import (
    DOCUMENTS,
    IVAR,
    LENA,
    QUESTION,
    TOM,
    by_prompt,
    outside_tags,
    reads_names,
)
from tests.fakes.scripted_chat import ChatCall, ScriptedChat
from tests.fakes.scripted_reader import ScriptedReader
from tests.tables import for_each

POLICY = AnswerPolicy()
BOTH = 'Answers: ["Lena Dahl", "Ivar Brask"]\nExplanation: There are two choirs.'


def models(**roles: object) -> ScriptedChat:
    usual = {"agent": reads_names, "agent_revises": reads_names, "aggregator": BOTH}
    return ScriptedChat(by_prompt({f"debate_{name}": role for name, role in (usual | roles).items()}))  # type: ignore[misc]


async def run_debate(chat: ScriptedChat, settings: MadamParameters | None = None, **limits: int) -> DebateResult:
    return await run(madam(QUESTION, DOCUMENTS, settings), Services(chat), DebateLimits(Budget(**limits)))


async def test_several_answers_each_with_its_documents() -> None:
    result = await run_debate(models())
    assert [(answer.answer, answer.documents) for answer in result.answers] == [
        ("Lena Dahl", ("d1",)),
        ("Ivar Brask", ("d2",)),
    ]
    assert result.explanation == "There are two choirs."
    assert result.unsupported == ()


async def test_it_stops_when_no_agent_changes_its_answer() -> None:
    result = await run_debate(models())
    assert (result.stop_reason, result.rounds) == (StopReason.CONVERGED, 2)
    # Four agents, the aggregator, four agents again: nothing new to aggregate.
    assert result.usage.model_calls == 9


async def test_each_agent_sees_its_own_document_only() -> None:
    chat = models()
    await run_debate(chat, MadamParameters(rounds=1))
    for document, call in zip(DOCUMENTS, chat.calls, strict=False):
        assert [other.id for other in DOCUMENTS if other.text in call.message] == [document.id]


async def test_in_later_rounds_agents_see_the_aggregate_and_their_own_answer() -> None:
    chat = models()
    await run_debate(chat)
    revising = chat.calls[5].message
    assert "<reply yours>\nLena Dahl. Because: it says so.\n</reply>" in revising
    assert "<summary of all agents>\nAnswers: Lena Dahl; Ivar Brask. There are two choirs.\n</summary>" in revising


@for_each("rounds", [1, 2, 3])
async def test_it_stops_after_the_maximum_of_rounds(rounds: int) -> None:
    turns = iter(range(1_000))
    result = await run_debate(
        models(agent_revises=lambda _call: f"Answer: {next(turns)} singers\nBecause: I changed my mind."),
        MadamParameters(rounds=rounds),
    )
    assert (result.stop_reason, result.rounds) == (StopReason.ROUNDS_SPENT, rounds)
    assert result.usage.model_calls == 5 * rounds


async def test_without_an_aggregator_the_majority_decides() -> None:
    documents = (LENA, LENA_AGAIN, TOM)
    chat = models()
    result = await run(madam(QUESTION, documents, MadamParameters(rounds=1, aggregator=False)), Services(chat))
    assert [(answer.answer, answer.documents) for answer in result.answers] == [("Lena Dahl", ("d1", "d9"))]
    assert (result.explanation, result.usage.model_calls) == (MAJORITY, 3)


LENA_AGAIN = type(LENA)("d9", "Sund's choir: Lena Dahl (leader).")


async def test_without_an_aggregator_every_answer_may_count() -> None:
    settings = MadamParameters(rounds=1, aggregator=False, unaggregated=Unaggregated.EVERY)
    result = await run_debate(models(), settings)
    assert [(answer.answer, answer.documents) for answer in result.answers] == [
        ("Lena Dahl", ("d1",)),
        ("Ivar Brask", ("d2",)),
        ("Tom Reed", ("d3",)),
    ]
    assert result.explanation == EVERY


async def test_without_an_aggregator_agents_see_each_other() -> None:
    chat = models()
    result = await run_debate(chat, MadamParameters(rounds=2, aggregator=False))
    revising = chat.calls[4].message
    assert "<reply agent 2>\nIvar Brask. Because: it says so.\n</reply>" in revising
    assert "<reply agent 1>" not in revising
    assert result.stop_reason is StopReason.CONVERGED


async def test_with_an_aggregator_agents_may_see_each_other() -> None:
    chat = models()
    await run_debate(chat, MadamParameters(rounds=2))
    assert "<summary of all agents>" in chat.calls[5].message
    assert "<reply agent 2>" not in chat.calls[5].message
    await run_debate(chat, MadamParameters(rounds=2, seen=Seen.REPLIES))
    revising = chat.calls[-1].message if "<reply yours>" in chat.calls[-1].message else chat.calls[-2].message
    assert "<summary" not in revising
    assert "<reply agent 2>" in revising


async def test_the_reader_may_read_in_place_of_the_agents() -> None:
    names = {LENA.text: "Lena Dahl", IVAR.text: "Ivar Brask", TOM.text: "Tom Reed"}
    reader = ScriptedReader(lambda _question, passages: names.get(passages[0]))
    chat = models()
    settings = MadamParameters(rounds=1, first=FirstReading.READER)
    result = await run(madam(QUESTION, DOCUMENTS, settings), Services(chat, reader))
    assert [turn.kind for turn in result.transcript] == [TurnKind.READ] * 4 + [TurnKind.ASK]
    assert len(chat.calls) == 1
    assert "<reply agent 4>\nunknown\n</reply>" in chat.calls[0].message
    assert [answer.answer for answer in result.answers] == ["Lena Dahl", "Ivar Brask"]


async def test_the_aggregator_may_be_told_the_reliabilities() -> None:
    chat = models()
    await run_debate(chat, MadamParameters(rounds=1, show_reliability=True))
    assert "<reply agent 1, its source is right 90% of the time>" in chat.calls[4].message
    assert "<reply agent 4, reliability of its source unknown>" in chat.calls[4].message
    assert all("90%" not in call.message for call in chat.calls[:4])


async def test_agents_and_aggregator_are_told_when_documents_were_published() -> None:
    dated = (replace(LENA, published=date(1991, 5, 2)), replace(IVAR, published=date(2020, 1, 31)), TOM)
    chat = ScriptedChat(by_prompt({"debate_agent": reads_names, "debate_aggregator": "Answers: []"}))
    await run(madam(QUESTION, dated, MadamParameters(rounds=1, show_reliability=True)), Services(chat))
    agent, aggregator = chat.calls[0].message, chat.calls[-1].message
    assert "<document 1, published 1991-05-02>" in agent
    assert DATED not in agent
    assert "<reply agent 2, published 2020-01-31, its source is right 80% of the time>" in aggregator
    assert "<reply agent 3, its source is right 30% of the time>" in aggregator
    assert DATED in outside_tags(aggregator)


async def test_an_answer_that_no_document_supports_is_left_out_and_reported() -> None:
    result = await run_debate(models(aggregator='Answers: ["Lena Dahl", "Napoleon"]\nExplanation: I know him.'))
    assert [answer.answer for answer in result.answers] == ["Lena Dahl"]
    assert result.unsupported == ("Napoleon",)


async def test_an_agent_that_was_talked_into_an_answer_does_not_make_its_document_support_it() -> None:
    def follows(_call: ChatCall) -> str:
        return "Answer: Lena Dahl\nBecause: the others say so."

    result = await run_debate(
        models(agent_revises=follows, aggregator='Answers: ["Lena Dahl"]\nExplanation: So they say.')
    )
    assert [(answer.answer, answer.documents) for answer in result.answers] == [("Lena Dahl", ("d1",))]


async def test_an_aggregate_that_cannot_be_read_leaves_the_majority() -> None:
    result = await run_debate(models(aggregator="Let me think about it."), MadamParameters(rounds=1))
    assert {answer.answer for answer in result.answers} == {"Lena Dahl", "Ivar Brask", "Tom Reed"}
    assert result.explanation == NO_AGGREGATE
    assert result.transcript[-1].unreadable == ("Let me think about it.",) * 2


@for_each(
    ("calls", "rounds", "answers"),
    [(0, 0, 0), (2, 0, 2), (4, 0, 3), (5, 1, 2), (7, 1, 2)],
)
async def test_when_the_budget_is_spent_it_returns_what_it_has(calls: int, rounds: int, answers: int) -> None:
    result = await run_debate(models(), calls=calls)
    assert (result.stop_reason, result.rounds, len(result.answers)) == (StopReason.OUT_OF_BUDGET, rounds, answers)
    assert result.usage.model_calls == calls


def agent_answers(*answers: str | None) -> list[AgentAnswer | None]:
    """`?` is a reply that was not understood, None an agent that says that it does not know."""
    return [None if answer == "?" else AgentAnswer(answer) for answer in answers]


@for_each(
    ("before", "now", "same"),
    [
        (["1963", "1956"], ["1963", "1956"], True),
        (["1963", "1956"], ["1963", "1957"], False),
        (["1,000 people"], ["1000 people"], True),
        (["May 3, 1874"], ["1874-05-03"], True),
        (["The Beatles"], ["beatles"], True),
        (["1963"], ["1964"], False),
        (["Lena"], [None], False),
        ([None], ["Lena"], False),
        ([None, "Lena"], [None, "Lena"], True),
        (["?"], ["?"], False),
        (["?"], [None], False),
        (["Lena", "?"], ["Lena", "?"], False),
        (["Lena"], ["Lena Dahl"], False),
        ([""], ["Lena"], False),
    ],
)
def test_when_answers_are_unchanged(before: list[str | None], now: list[str | None], same: bool) -> None:
    assert unchanged(agent_answers(*before), agent_answers(*now), POLICY) is same


@for_each(
    ("answers", "winners"),
    [
        (["a", "b", "a"], ["a"]),
        (["a", "b"], ["a", "b"]),
        ([None, None, "b"], ["b"]),
        (["?", None], []),
        (["1,000", "1000", "7", "7"], ["1,000", "7"]),
    ],
)
def test_the_majority_and_its_ties(answers: list[str | None], winners: list[str]) -> None:
    assert majority(agent_answers(*answers), POLICY) == winners
