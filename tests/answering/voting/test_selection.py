"""kappa-RRSS: requests and readings step by step."""

from dataclasses import replace
from typing import Any

import pytest

from answering.enums import ReadingStatus
from answering.errors import BadParameter, UnexpectedReadings
from answering.voting.electorate import Electorate
from answering.voting.readings import SourceReading
from answering.voting.selection import Candidate, Selection, SelectionSettings, StopReason, rank, select
from answering.voting.voter import Voter
from tests.answering.voting.walks import (
    ABSTAINED,
    FAILED,
    MISALIGNED,
    NO_PASSAGES,
    World,
    ids,
    play,
    reasons,
    says,
    sources,
    weighing,
)
from tests.tables import for_each


def test_the_walk_of_the_paper_one_source_after_the_other() -> None:
    walk = select(sources(0.9, 0.8, 0.7, 0.6, 0.5), SelectionSettings(kappa=2, batch=1))
    assert next(walk) == ("s0",)
    assert walk.send({"s0": ABSTAINED}) == ("s1",)
    assert walk.send({"s1": says("a")}) == ("s2",)
    assert walk.send({"s2": NO_PASSAGES}) == ("s3",)
    with pytest.raises(StopIteration) as stop:
        walk.send({"s3": says("b")})
    result: Selection[str] = stop.value.value
    assert ids(result) == ["s1", "s3"]
    assert reasons(result) == {"s0": "abstained", "s2": "no_passages", "s4": "not_reached"}
    assert (len(result.readings), result.rounds) == (4, 4)
    assert result.stop_reason is StopReason.KAPPA_REACHED
    assert [(vote.source_id, vote.answer_key, vote.answer) for vote in result.votes] == [
        ("s1", "a", "A"),
        ("s3", "b", "B"),
    ]


def test_a_thrifty_walk_asks_no_more_than_are_wanted() -> None:
    world = dict(
        zip(["s0", "s1", "s2", "s3", "s4"], [says("a"), ABSTAINED, says("a"), says("b"), says("b")], strict=True)
    )
    result, batches = play(select(sources(0.9, 0.8, 0.7, 0.6, 0.5), SelectionSettings(kappa=3, batch=4)), world)
    assert batches == [("s0", "s1", "s2"), ("s3",)]
    assert ids(result) == ["s0", "s2", "s3"]


def test_the_budget_ends_the_walk() -> None:
    world = {f"s{i}": MISALIGNED for i in range(3)}
    result, batches = play(select(sources(0.9, 0.8, 0.7), SelectionSettings(budget=2, batch=5)), world)
    assert batches == [("s0", "s1")]
    assert reasons(result) == {"s0": "misaligned", "s1": "misaligned", "s2": "out_of_budget"}
    assert result.stop_reason is StopReason.OUT_OF_BUDGET


def test_without_budget_nothing_is_read() -> None:
    result, batches = play(select(sources(0.9), SelectionSettings(budget=0)), {})
    assert batches == []
    assert result.stop_reason is StopReason.OUT_OF_BUDGET
    assert not result.retrieved


def test_all_sources_are_read_without_a_kappa() -> None:
    world = {f"s{i}": says("a") for i in range(9)}
    result, batches = play(select(sources(*[0.5] * 9), SelectionSettings(kappa=None, batch=4)), world)
    assert [len(batch) for batch in batches] == [4, 4, 1]
    assert len(result.selected) == 9
    assert result.stop_reason is StopReason.EXHAUSTED


def test_kappa_is_reached_with_the_last_source() -> None:
    result, _ = play(select(sources(0.9, 0.8), SelectionSettings(kappa=2)), {"s0": says("a"), "s1": says("a")})
    assert result.stop_reason is StopReason.KAPPA_REACHED


def test_copies_may_fill_one_place_together() -> None:
    """Two that copy, one that abstains, another copy, and two of their own."""
    walked = [
        replace(source, copy_group=group)
        for source, group in zip(sources(0.9, 0.8, 0.7, 0.6, 0.5), (7, 7, None, 7, None), strict=True)
    ]
    walked.append(Candidate("s5", 0.4))
    world = dict.fromkeys(("s0", "s1", "s3", "s4", "s5"), says("a")) | {"s2": ABSTAINED}
    by_source, _ = play(select(walked, SelectionSettings(kappa=2)), world)
    by_group, _ = play(select(walked, SelectionSettings(kappa=2, by_copy_group=True)), world)
    assert ids(by_source) == ["s0", "s1"]
    assert ids(by_group) == ["s0", "s1", "s3", "s4"]
    assert reasons(by_group) == {"s2": "abstained", "s5": "not_reached"}


def test_no_sources_no_selection() -> None:
    result, batches = play(select([]), {})
    assert batches == []
    assert result == Selection((), {}, {}, 0, StopReason.EXHAUSTED)


def test_the_walk_stops_when_the_rest_cannot_change_the_winner() -> None:
    world = {f"s{i}": says("a") for i in range(4)}
    settings = SelectionSettings(kappa=4, batch=1, stop_early=True)
    result, _ = play(select(sources(0.9, 0.8, 0.7, 0.6), settings, weighing(0.9, 0.8, 0.7, 0.6)), world)
    assert ids(result) == ["s0", "s1"]
    assert result.stop_reason is StopReason.DECIDED
    assert reasons(result) == {"s2": "not_reached", "s3": "not_reached"}


def test_a_possible_tie_is_no_decision() -> None:
    world = {f"s{i}": says("a") for i in range(4)}
    settings = SelectionSettings(kappa=4, batch=1, stop_early=True)
    result, _ = play(select(sources(0.5, 0.5, 0.5, 0.5), settings, weighing(0.5, 0.5, 0.5, 0.5)), world)
    assert len(result.selected) == 3


@for_each(
    ("statuses", "retrieved"),
    [([NO_PASSAGES, NO_PASSAGES], False), ([NO_PASSAGES, ABSTAINED], True), ([FAILED, FAILED], True), ([], False)],
)
def test_whether_anything_was_retrieved(statuses: list[SourceReading], retrieved: bool) -> None:
    world = {f"s{i}": status for i, status in enumerate(statuses)}
    result, _ = play(select(sources(*[0.5] * len(statuses))), world)
    assert result.retrieved is retrieved


def test_the_order_is_reliability_then_relevance_then_id() -> None:
    offered = [
        Candidate("d", 0.5, relevance=None),
        Candidate("c", 0.5, relevance=-3.0),
        Candidate("b", 0.5, relevance=0.9),
        Candidate("a", 0.5, relevance=0.9),
        Candidate("e", 0.9),
    ]
    assert [source.id for source in rank(offered)] == ["e", "a", "b", "c", "d"]


@for_each("readings", [{}, {"s0": ABSTAINED}, {"s0": ABSTAINED, "s1": ABSTAINED, "s9": ABSTAINED}])
def test_other_readings_than_asked_for_are_refused(readings: World) -> None:
    walk = select(sources(0.9, 0.8))
    next(walk)
    with pytest.raises(UnexpectedReadings, match="'s0', 's1'"):
        walk.send(readings)


@for_each(
    ("settings", "message"),
    [({"kappa": 0}, "kappa"), ({"batch": 0}, "batch"), ({"budget": -1}, "budget")],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        SelectionSettings(**settings)


@for_each(
    ("offered", "message"),
    [
        ([Candidate("a", 0.5), Candidate("a", 0.6)], "repeated"),
        ([Candidate("a", 1.5)], "reliability"),
        ([Candidate("a", float("nan"))], "reliability"),
        ([Candidate("a", 0.5, relevance=float("nan"))], "relevance"),
    ],
)
def test_sources_that_make_no_sense_are_refused(offered: list[Candidate[str]], message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        rank(offered)


@for_each(
    "parts",
    [(ReadingStatus.ANSWERED, None, None), (ReadingStatus.ANSWERED, "a", None), (ReadingStatus.FAILED, "a", "A")],
)
def test_only_a_reading_that_answered_has_an_answer(parts: tuple[ReadingStatus, str | None, str | None]) -> None:
    with pytest.raises(BadParameter, match="if and only if"):
        SourceReading(*parts)


def test_twenty_thousand_sources_are_walked_quickly() -> None:
    ranked = sources(*[0.5] * 20_000)
    electorate = weighing(*(float(at % 7) for at in range(20_000)))
    world = {source.id: says("a") if int(source.id[1:]) % 3 else ABSTAINED for source in ranked}
    result, _ = play(select(ranked, SelectionSettings(kappa=None, batch=64, stop_early=True), electorate), world)
    assert result.stop_reason is StopReason.DECIDED


def test_stopping_early_needs_an_electorate() -> None:
    with pytest.raises(BadParameter, match="electorate"):
        next(select(sources(0.9), SelectionSettings(stop_early=True)))


def test_a_lead_of_doubtful_readings_does_not_end_the_walk() -> None:
    """Three that agree decide against two that are left; if the reader doubts two of these, they do not."""

    walked = [Candidate(f"s{at}", 0.9 - at / 10) for at in range(5)]
    voters = [Voter(f"s{at}", 1.0, read_share=0.5) for at in range(5)]
    electorate = Electorate(voters, prior=0.6, prior_lower=0.5, labels=10, weigh=lambda right, _: right)
    settings = SelectionSettings(kappa=None, batch=1, stop_early=True)
    read = {}
    for confidence in (1.0, 0.2):
        doubted = replace(says("a"), confidence=confidence)
        world = {
            "s0": replace(says("a"), confidence=1.0),
            "s1": doubted,
            "s2": doubted,
            "s3": ABSTAINED,
            "s4": ABSTAINED,
        }
        read[confidence] = len(play(select(walked, settings, electorate), world)[1])
    assert read == {1.0: 3, 0.2: 4}
