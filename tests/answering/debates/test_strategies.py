"""What holds of all strategies that debate, and what `auto` decides without a debate."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from answering.debates.auto import DebateResources, Decision, VoteEvidence, decide, side_by_side
from answering.debates.driver import DebateLimits, run
from answering.debates.execution import Services
from answering.debates.protocol import SourceDocument
from answering.debates.schema import Action, AutoSettings, Reason, StopReason
from answering.debates.strategies import STRATEGIES, WMV
from answering.debates.strategy import StrategyDefinition
from answering.debates.support import AnswerPolicy
from answering.errors import BadParameter, MissingService, ModelUnavailable
from answering.models.usage import Budget
from answering.voting.certificate import certify
from benchmarks.calibration.electorates import cast, of_weights
from tests.answering.debates.examples import DOCUMENTS, LENA, NOISE, QUESTION, outside_tags
from tests.answering.debates.test_support import ATTACKS, obeys
from tests.fakes.scripted_chat import ScriptedChat
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


MODEL, NO_MODEL = DebateResources(model=True), DebateResources(model=False)
DEBATE = AutoSettings(debate="madam")


def evidence(
    *votes: tuple[str, float], confidence: float | None = None, conflict: float | None = None
) -> VoteEvidence[int]:
    electorate, cast_votes = of_weights([weight for _, weight in votes]), cast(*(answer for answer, _ in votes))
    certificate = certify(electorate, cast_votes)
    return VoteEvidence(electorate.count(cast_votes).vote, certificate, confidence, conflict)


FOUR = [("a", 1.0)] * 4
AGREED = evidence(*FOUR, confidence=0.99, conflict=0.0)
CLEAR = evidence(*FOUR, ("b", 0.1), confidence=0.97, conflict=0.1)
SPLIT = evidence(("a", 1.0), ("a", 1.0), ("b", 0.9), ("b", 0.9), confidence=0.6, conflict=0.5)


@for_each(
    ("vote_evidence", "means", "decision"),
    [
        (evidence(), MODEL, Decision(Action.DEBATE, (Reason.NO_VOTES,))),
        (evidence(), NO_MODEL, Decision(Action.ABSTAIN, (Reason.NO_VOTES, Reason.NO_MODEL))),
        (evidence(), DebateResources(True, documents=False),
         Decision(Action.ABSTAIN, (Reason.NO_VOTES, Reason.NO_DOCUMENTS))),
        (evidence(), DebateResources(True, Budget(calls=0)),
         Decision(Action.ABSTAIN, (Reason.NO_VOTES, Reason.NO_BUDGET))),
        (AGREED, MODEL, Decision(Action.VOTE, (Reason.UNDISPUTED,))),
        (AGREED, NO_MODEL, Decision(Action.VOTE, (Reason.UNDISPUTED,))),
        (CLEAR, MODEL, Decision(Action.VOTE, (Reason.SAFE,))),
        (SPLIT, MODEL, Decision(Action.DEBATE, (Reason.NARROW_MARGIN, Reason.FRAGILE, Reason.LOW_CONFIDENCE))),
        (evidence(("a", 1.0), ("b", 1.0)), NO_MODEL,
         Decision(Action.ABSTAIN, (Reason.TIED, Reason.NARROW_MARGIN, Reason.FRAGILE, Reason.NO_MODEL))),
        (evidence(*FOUR, confidence=0.99, conflict=0.9), MODEL, Decision(Action.DEBATE, (Reason.CONFLICT_SCORE,))),
        (evidence(*FOUR, ("b", 0.1), confidence=0.5), MODEL, Decision(Action.DEBATE, (Reason.LOW_CONFIDENCE,))),
        (evidence(("a", 1.0)), MODEL, Decision(Action.VOTE, (Reason.UNDISPUTED,))),
    ],
)  # fmt: skip
def test_decisions(vote_evidence: VoteEvidence[int], means: DebateResources, decision: Decision) -> None:
    assert decide(vote_evidence, means, DEBATE) == decision


@for_each("means", [MODEL, NO_MODEL])
@for_each(
    ("vote_evidence", "decision"),
    [
        (AGREED, Decision(Action.VOTE, (Reason.UNDISPUTED,))),
        (CLEAR, Decision(Action.VOTE, (Reason.SAFE,))),
        (SPLIT, Decision(Action.SIDE_BY_SIDE, (Reason.NARROW_MARGIN, Reason.FRAGILE, Reason.LOW_CONFIDENCE))),
        (evidence(("a", 1.0), ("b", 1.0)),
         Decision(Action.SIDE_BY_SIDE, (Reason.TIED, Reason.NARROW_MARGIN, Reason.FRAGILE))),
        (evidence(*FOUR, confidence=0.99, conflict=0.9), Decision(Action.VOTE, (Reason.CONFLICT_SCORE,))),
        (evidence(("a", 1.0), ("b", -1.0), conflict=0.9),
         Decision(Action.VOTE, (Reason.FRAGILE, Reason.CONFLICT_SCORE))),
    ],
)  # fmt: skip
def test_without_a_debate_no_model_is_asked(
    vote_evidence: VoteEvidence[int], means: DebateResources, decision: Decision
) -> None:
    assert decide(vote_evidence, means) == decision


def test_what_stands_side_by_side_has_weight() -> None:
    def answers(*votes: tuple[str, float]) -> list[str]:
        return [line.answer for line in side_by_side(evidence(*votes).vote, least_share=0.5)]

    assert answers(("a", 1.0), ("b", 2.0), ("c", 0.9), ("d", -1.0)) == ["b", "a"]
    assert answers(("a", -1.0), ("b", -2.0)) == ["a"]
    assert answers() == []


@for_each(
    ("left", "reason"),
    [
        (Budget(), None),
        (Budget(calls=5, tokens=10, seconds=1), None),
        (Budget(calls=4), Reason.NO_BUDGET),
        (Budget(tokens=0), Reason.NO_BUDGET),
        (Budget(seconds=0), Reason.NO_BUDGET),
    ],
)
def test_a_debate_needs_a_budget(left: Budget, reason: Reason | None) -> None:
    decided = decide(SPLIT, DebateResources(True, left, min_calls=5), DEBATE)
    assert (decided.action is Action.DEBATE) is (reason is None)
    assert reason is None or decided.reasons[-1] is reason


def test_without_a_debate_a_vote_above_the_floor_stands() -> None:
    assert decide(SPLIT, NO_MODEL, AutoSettings(debate="madam", floor=0.5)).action is Action.VOTE
    assert decide(SPLIT, NO_MODEL, AutoSettings(debate="madam", floor=0.7)).action is Action.ABSTAIN


def test_answers_stand_side_by_side_above_the_floor() -> None:
    assert decide(SPLIT, MODEL, AutoSettings(floor=0.5)).action is Action.SIDE_BY_SIDE
    assert decide(SPLIT, MODEL, AutoSettings(floor=0.7)).action is Action.ABSTAIN
    unsure = decide(SPLIT, MODEL, AutoSettings(confidence=0.0, floor=0.7))
    assert unsure.reasons[-1] is Reason.LOW_CONFIDENCE


def test_an_undisputed_answer_below_the_floor_is_none() -> None:
    decided = decide(evidence(("a", 0.1), confidence=0.3), MODEL, AutoSettings(floor=0.5))
    assert decided == Decision(Action.ABSTAIN, (Reason.UNDISPUTED, Reason.LOW_CONFIDENCE))


SHARE = st.floats(0, 1)
VOTES = st.lists(st.tuples(st.sampled_from("abc"), st.floats(-1, 3)), max_size=6)


@given(VOTES, st.none() | SHARE, st.none() | SHARE, st.booleans(), st.booleans())
def test_every_decision_has_a_reason(
    votes: list[tuple[str, float]], confidence: float | None, conflict: float | None, model: bool, debate: bool
) -> None:
    vote_evidence = evidence(*votes, confidence=confidence, conflict=conflict)
    decided = decide(vote_evidence, DebateResources(model), AutoSettings(debate="madam" if debate else None))
    assert decided.reasons
    likely = side_by_side(vote_evidence.vote, AutoSettings().least_share)
    assert decided.action is not Action.SIDE_BY_SIDE or (not debate and len(likely) > 1)
    assert decided.action is not Action.DEBATE or model
    assert decided.action is not Action.VOTE or vote_evidence.vote.winner is not None


@given(VOTES, SHARE, SHARE, SHARE)
def test_stricter_settings_never_spare_a_debate(
    votes: list[tuple[str, float]], confidence: float, loose: float, strict: float
) -> None:
    vote_evidence = evidence(*votes, confidence=confidence)
    low, high = sorted((loose, strict))
    if decide(vote_evidence, MODEL, AutoSettings(debate="madam", margin=low, confidence=low)).action is Action.DEBATE:
        assert (
            decide(vote_evidence, MODEL, AutoSettings(debate="madam", margin=high, confidence=high)).action
            is Action.DEBATE
        )
