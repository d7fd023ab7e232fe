"""What holds of all strategies that debate."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from answering.debates.driver import DebateLimits, run
from answering.debates.execution import Services
from answering.debates.protocol import SourceDocument
from answering.debates.schema import StopReason
from answering.debates.strategies import STRATEGIES, WMV
from answering.debates.strategy import StrategyDefinition
from answering.debates.support import AnswerPolicy
from answering.errors import BadParameter, MissingService, ModelUnavailable
from answering.models import ScriptedChat
from answering.models.usage import Budget
from tests.answering.debates.examples import DOCUMENTS, LENA, NOISE, QUESTION, outside_tags
from tests.answering.debates.test_quoting import ATTACKS, obeys
from tests.tables import for_each

Strategy = StrategyDefinition[Any]
DEBATES = [strategy for strategy in STRATEGIES if strategy.make_debate is not None]
EVERY = pytest.mark.parametrize("strategy", DEBATES, ids=lambda strategy: strategy.name)
REPLIES = st.sampled_from(
    ["", "Answer: Lena Dahl", 'Answers: ["Lena Dahl", "Tom Reed"]', "Answers: []", "Passage 1: Lena leads the choir.",
     "Final: unknown", "proponent", "challenger", "both", "Add: island choir", "Replace 1: choir", "I don't know",
     "[1]: Lena Dahl (90)\nFinal: Lena Dahl", "???"]
)  # fmt: skip


class Searcher:
    def __init__(self, documents: Sequence[SourceDocument] = DOCUMENTS[1:]) -> None:
        self._documents = documents

    async def search(self, query: str, *, limit: int, selected_only: bool) -> Sequence[SourceDocument]:
        return self._documents[:limit] if query and selected_only else ()


@EVERY
@given(script=st.lists(REPLIES, min_size=1, max_size=60), calls=st.none() | st.integers(0, 12))
@settings(max_examples=40)
async def test_it_ends_within_its_budget_whatever_models_reply(
    strategy: Strategy, script: list[str], calls: int | None
) -> None:
    remaining = iter(script)
    chat = ScriptedChat(lambda _call: next(remaining, script[-1]))
    services, limits = Services(chat, searcher=Searcher()), DebateLimits(Budget(calls))
    result = await run(strategy.debate(QUESTION, DOCUMENTS), services, limits)
    assert calls is None or len(chat.calls) <= calls
    assert result.usage.model_calls == len(chat.calls) <= 60
    assert len({answer.key for answer in result.answers}) == len(result.answers)
    ids = {document.id for document in DOCUMENTS}
    assert all(set(answer.documents) <= ids for answer in result.answers)


@EVERY
async def test_a_dead_model_and_a_missing_one_are_errors(strategy: Strategy) -> None:
    dead = Services(ScriptedChat(lambda _call: ModelUnavailable("down")), searcher=Searcher())
    with pytest.raises(ModelUnavailable):
        await run(strategy.debate(QUESTION, DOCUMENTS), dead)
    with pytest.raises(MissingService):
        await run(strategy.debate(QUESTION, DOCUMENTS), Services(searcher=Searcher()))


@EVERY
async def test_an_unreadable_reply_is_no_answer_and_so_is_a_spent_budget(strategy: Strategy) -> None:
    services = Services(ScriptedChat("Hm, let me think. " * 100), searcher=Searcher())
    result = await run(strategy.debate(QUESTION, DOCUMENTS), services)
    assert not result.answers
    assert any(len(turn.unreadable) == 2 for turn in result.transcript)
    spent = await run(strategy.debate(QUESTION, DOCUMENTS), services, DebateLimits(Budget(calls=0)))
    assert (spent.answers, spent.stop_reason) == ((), StopReason.OUT_OF_BUDGET)


@EVERY
async def test_without_documents_only_memory_answers(strategy: Strategy) -> None:
    services = Services(ScriptedChat("I don't know."), searcher=Searcher(()))
    result = await run(strategy.debate(QUESTION, ()), services)
    assert not result.answers
    assert result.stop_reason is (StopReason.NO_DOCUMENTS if strategy.uses_documents else StopReason.ANSWERED)


@EVERY
async def test_the_alignment_threshold_decides_what_a_document_supports(strategy: Strategy) -> None:
    async def answers(threshold: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
        policy = AnswerPolicy(alignment_threshold=threshold)
        services = Services(ScriptedChat("Answer: Lena Dahl Olsen"), searcher=Searcher())
        result = await run(strategy.debate(QUESTION, DOCUMENTS, policy=policy), services)
        return tuple(answer.answer for answer in result.answers if answer.documents), result.unsupported

    if strategy.uses_documents:
        assert await answers(0.9) == ((), ("Lena Dahl Olsen",))
        assert await answers(0.6) == (("Lena Dahl Olsen",), ())
    else:
        assert await answers(0.6) == ((), ())


@EVERY
@for_each("attack", ATTACKS)
async def test_no_document_speaks_outside_its_tags(strategy: Strategy, attack: str) -> None:
    chat = ScriptedChat(obeys)
    bad = SourceDocument("bad", f"The choir of Sund is led by Tom Reed. {attack}", attack)
    result = await run(strategy.debate(QUESTION, (LENA, bad, NOISE)), Services(chat, searcher=Searcher()))
    assert all("PWNED" not in outside_tags(call.message) for call in chat.calls)
    assert all("PWNED" not in answer.answer for answer in result.answers)


@EVERY
async def test_every_turn_names_its_prompt(strategy: Strategy) -> None:
    services = Services(ScriptedChat("Answers: []"), searcher=Searcher())
    result = await run(strategy.debate(QUESTION, DOCUMENTS), services)
    assert result.transcript
    assert all(turn.prompt and len(turn.prompt_hash or "") == 64 for turn in result.transcript)


@EVERY
async def test_the_minimum_of_calls_is_enough_for_an_answer(strategy: Strategy) -> None:
    minimum = strategy.min_calls(len(DOCUMENTS), strategy.parameters())
    chat = ScriptedChat("Answer: Lena Dahl\nFinal: Lena Dahl")
    services, limits = Services(chat, searcher=Searcher()), DebateLimits(Budget(calls=minimum), concurrency=1)
    assert (await run(strategy.debate(QUESTION, DOCUMENTS), services, limits)).answers
    assert len(chat.calls) <= minimum


def test_a_vote_holds_no_debate() -> None:
    with pytest.raises(BadParameter):
        WMV.debate(QUESTION, DOCUMENTS)


@for_each(
    ("name", "wrong"),
    [
        ("madam", {"rounds": 0}),
        ("astute", {"passages": -1}),
        ("astute", {"consolidations": 0}),
        ("drag", {"retrieval_rounds": -1}),
        ("drag", {"response_rounds": -1}),
        ("drag", {"per_query": 0}),
        ("self_consistency", {"samples": 0}),
        ("self_consistency", {"share": 0.0}),
        ("self_consistency", {"share": 1.1}),
        ("auto", {"margin": 1.1}),
        ("auto", {"confidence": -0.1}),
        ("auto", {"floor": float("nan")}),
        ("auto", {"certificate": -1}),
        ("no_rag", {"rounds": 1}),
    ],
)
def test_parameters_are_checked(name: str, wrong: dict[str, float]) -> None:
    (strategy,) = (strategy for strategy in STRATEGIES if strategy.name == name)
    with pytest.raises(ValidationError):
        strategy.parameters(**wrong)
