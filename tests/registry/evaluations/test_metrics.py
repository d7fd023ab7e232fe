"""The arithmetic of an evaluation, on cases small enough to count by hand."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.passages import RetrievedPassage
from answering.voting import Outcome, ReadingStatus, SourceReading
from registry.answers.schemas import AnswerParameters
from registry.estimations.model import EstimationRun
from registry.evaluations.methods import methods
from registry.evaluations.metrics import (
    EvaluatedQuery,
    MethodAnswer,
    agreement,
    calibration,
    gold_counts,
    interval,
    mistakes,
    reader_errors,
)
from registry.evaluations.metrics import source_evaluations as evaluated
from registry.sources.reliabilities import Reliabilities, SourceReliability
from registry.sources.schemas import ReliabilityPeriod

ONE, TWO, THREE = (UUID(int=number) for number in (1, 2, 3))
NOTHING = MethodAnswer(Outcome.UNSUPPORTED, (), 0.0, 3)
CONFLICT = MethodAnswer(Outcome.CONFLICTING, ("black", "blue"), 0.9, 3)


def reading_of(answer: str | None) -> SourceReading:
    if answer is None:
        return SourceReading(ReadingStatus.ABSTAINED)
    return SourceReading(ReadingStatus.ANSWERED, f"text:{answer}", answer)


def case(gold: str, *answers: str | None, one_reader: str | None = None) -> EvaluatedQuery:
    readings = dict(zip((ONE, TWO, THREE), map(reading_of, answers), strict=True))
    return EvaluatedQuery(UUID(int=9), f"{gold}?", (gold,), readings, one_reader, NOTHING, "scripted")


def answered(*answers: str, confidence: float = 1.0) -> MethodAnswer:
    return MethodAnswer(Outcome.ANSWERED, answers, confidence, 3)


def standing(source_id: UUID, reliability: float | None) -> SourceReliability:
    return SourceReliability(
        source_id=source_id,
        external_id=str(source_id),
        name=f"Source {source_id.int}",
        status="active",
        reliability=reliability,
        estimated=reliability,
        lower=None,
        upper=None,
        weight=None,
        vote_count=4,
        copy_group=None,
        override=None,
    )


CASES = [
    case("red", "red", "blue", "blue", one_reader="Red"),
    case("green", "green", "blue", None),
    case("white", "white", None, "white"),
    case("black", None, "blue", "blue"),
]
PASSAGE = RetrievedPassage(ONE, ONE, 0, 0, 10, "It is red.", 0.9, "", None, "page")
RUN = EstimationRun(id=UUID(int=7), method="iwmv", labels=3)
CURRENT = Reliabilities(RUN, (standing(ONE, 1.0), standing(TWO, 0.3), standing(THREE, 0.5)))


async def test_methods_differ_where_sources_do() -> None:
    compared = methods(CASES, CURRENT, AnswerParameters(kappa=2))
    given = {name: [await method.answer(query) for query in CASES] for name, method in compared.items()}
    answers = {name: [answer.answers[0] if answer.answers else None for answer in row] for name, row in given.items()}
    assert answers["weighted"] == ["red", "green", "white", "blue"]
    assert answers["majority"] == ["blue", "blue", "white", "blue"]
    assert answers["most_reliable"] == ["red", "green", "white", "blue"]
    assert answers["one_reader"] == ["Red", None, None, None]
    assert answers["gold_weights"] == ["red", "green", "white", "blue"]
    # Of the second query one vote is right and one wrong, which no majority decides.
    assert given["majority"][1].outcome is Outcome.CONFLICTING
    assert not CASES[1].is_right(given["majority"][1])


def test_an_answer_is_right_where_all_it_names_is() -> None:
    (of_red, *_), both = CASES, answered("red", "blue")
    assert of_red.is_right(answered("Red"))
    assert not of_red.is_right(NOTHING)
    assert not of_red.is_right(both)
    assert not of_red.is_right(replace(answered("red"), outcome=Outcome.CONFLICTING))
    assert replace(of_red, gold_answers=("red", "blue")).is_right(both)


async def test_the_estimate_counts_as_in_answers() -> None:
    """Copies count once, an answer counts by the period of its source, and confidence follows."""
    present = datetime(2026, 3, 1, tzinfo=UTC)
    periods = tuple(
        ReliabilityPeriod(since=since, until=since, reliability=w, lower=w, upper=w, vote_count=9, log_odds=None)
        for since, w in ((present - timedelta(days=60), 0.95), (present, 0.3))
    )
    copies = [replace(standing(source_id, 0.6), copy_group=0) for source_id in (TWO, THREE)]
    turned = replace(standing(ONE, 0.3), periods=periods, turned_at=present)
    undated, passage = CASES[0], replace(PASSAGE, published_at=present - timedelta(days=9))
    earlier = replace(undated.readings[ONE], passages=(passage,))
    dated = replace(undated, readings={**undated.readings, ONE: earlier})

    async def weighted(query: EvaluatedQuery, *sources: SourceReliability) -> MethodAnswer:
        compared = methods([query], Reliabilities(RUN, sources), AnswerParameters(kappa=3))
        return await compared["weighted"].answer(query)

    independent = await weighted(undated, standing(ONE, 0.7), standing(TWO, 0.6), standing(THREE, 0.6))
    once = await weighted(undated, standing(ONE, 0.7), *copies)
    assert (independent.answers, once.answers) == (("blue",), ("red",))
    assert independent.confidence > 0.6
    assert once.confidence < 0.6
    judged = replace(undated, text="Is it red?", reader="compact:0")
    yes_or_no = await weighted(judged, standing(ONE, 0.6), standing(TWO, 0.7), standing(THREE, 0.7))
    assert yes_or_no.confidence == 0.5
    now, earlier_then = await weighted(undated, turned, *copies), await weighted(dated, turned, *copies)
    assert (now.answers, earlier_then.answers) == (("blue",), ("red",))


def test_gold_counts_votes_and_not_abstentions() -> None:
    assert gold_counts(CASES, (ONE, TWO, THREE)) == {ONE: (3, 3), TWO: (0, 3), THREE: (1, 3)}
    sources = evaluated(CASES, CURRENT.sources)
    assert [(source.name, source.gold.share) for source in sources] == [
        ("Source 1", 1.0),
        ("Source 3", 1 / 3),
        ("Source 2", 0.0),
    ]
    correlation, difference = agreement(sources)
    assert correlation == pytest.approx(0.9987, abs=1e-3)
    assert difference == pytest.approx((0 + 0.3 + 0.5 - 1 / 3) / 3)


def test_calibration_compares_confidence_with_being_right() -> None:
    calibrated = calibration(
        CASES, [answered("red", confidence=0.9), answered("blue", confidence=0.95), NOTHING, CONFLICT]
    )
    assert [(level.lower, level.accuracy.right, level.accuracy.of) for level in calibrated.bins] == [(0.8, 1, 2)]
    assert calibrated.expected_error == pytest.approx(0.425)
    assert calibrated.brier == pytest.approx((0.01 + 0.9025) / 2)
    assert calibration([], []).brier is None


def test_mistakes_come_with_who_knew_better() -> None:
    missed = mistakes(
        CASES,
        [
            answered("blue", confidence=0.8),
            answered("green"),
            NOTHING,
            CONFLICT,
        ],
    )
    assert [(mistake.answer, mistake.outcome) for mistake in missed] == [
        ("black; blue", "conflicting"),
        ("blue", "answered"),
        (None, "unsupported"),
    ]
    assert [
        (mistake.gold_answers, mistake.confidence, mistake.sources_right, mistake.sources_answered)
        for mistake in missed
    ] == [
        (("black",), 0.9, 0, 2),
        (("red",), 0.8, 1, 3),
        (("white",), 0.0, 2, 2),
    ]


@given(st.lists(st.booleans(), max_size=200))
def test_an_interval_holds_its_share(verdicts: list[bool]) -> None:
    accuracy = interval(verdicts)
    assert 0 <= accuracy.lower <= accuracy.upper <= 1
    assert accuracy.share is None or accuracy.lower <= accuracy.share <= accuracy.upper
    assert (accuracy.right, accuracy.of) == (sum(verdicts), len(verdicts))


def test_an_interval_is_jeffreys() -> None:
    # Brown, Cai & DasGupta 2001: 10 of 20, Beta(10.5, 10.5).
    accuracy = interval([True] * 10 + [False] * 10)
    assert [accuracy.lower, accuracy.upper] == pytest.approx([0.2944, 0.7056], abs=2e-3)


def test_a_wrong_vote_is_the_readers_error_where_a_right_answer_was_read() -> None:
    """Of source one two votes are wrong: once its passage says otherwise, once it says so."""

    def read(content: str, answer: str) -> SourceReading:
        passages = (replace(PASSAGE, content=content),)
        return SourceReading(ReadingStatus.ANSWERED, f"text:{answer}", answer, passages)

    texts = (("red", "It is Red!", "blue"), ("red", "It is blue, not reddish.", "blue"), ("red", "It is red.", "red"))
    cases = [
        EvaluatedQuery(UUID(int=number), "?", (gold,), {ONE: read(content, answer)}, None, NOTHING, "scripted")
        for number, (gold, content, answer) in enumerate(texts)
    ]
    assert reader_errors(cases, [ONE]) == {ONE: 1}
    (told,) = evaluated(cases, [replace(standing(ONE, 0.5), misread_count=1, read_share=0.7)])
    (untold,) = evaluated(cases, [standing(ONE, 0.5)])
    assert (told.votes, told.gold.right, told.reader_errors) == (3, 1, 1)
    assert told.statements is not None
    assert (told.statements.right, told.statements.of) == (1, 2)
    assert (told.by_gold, untold.by_gold) == (told.statements, untold.gold)
