"""When the vote stands, when all answers are given, when a debate is held, and when there is no answer."""

from hypothesis import given
from hypothesis import strategies as st

from answering.debates.auto import DebateResources, Decision, VoteEvidence, decide, side_by_side
from answering.debates.schema import Action, AutoSettings, Reason
from answering.models.usage import Budget
from answering.voting.certificate import certify
from benchmarks.calibration.electorates import cast, of_weights
from tests.tables import for_each

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
