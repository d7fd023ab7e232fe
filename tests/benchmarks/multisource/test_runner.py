"""What is made of the record of a small corpus: replays, scores and differences."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest

from answering.voting import ReadingStatus
from benchmarks.data.squad import token_f1
from benchmarks.multisource import report
from benchmarks.multisource.record import CorpusRecord, Question, RecordedReading
from benchmarks.multisource.replay import (
    answer_by_selection,
    answer_unchecked,
    electorate_of,
    equal_electorate,
    estimated_electorate,
)
from benchmarks.multisource.score import scored
from benchmarks.multisource.synthetic import Stance


def readings_from(*answers: str | None, misaligned: Sequence[int] = ()) -> tuple[RecordedReading, ...]:
    return tuple(
        RecordedReading(ReadingStatus.MISALIGNED, answer)
        if source in misaligned
        else RecordedReading(ReadingStatus.ANSWERED if answer else ReadingStatus.ABSTAINED, answer)
        for source, answer in enumerate(answers)
    )


def question(*answers: str | None, is_test: bool = False, misaligned: Sequence[int] = ()) -> Question:
    published = tuple(answers)
    stances = tuple(Stance.FACTUAL if answer == "red" else Stance.MISINFORMATION for answer in answers)
    readings = readings_from(*answers, misaligned=misaligned)
    return Question("?", ("red",), is_test, 0.0, stances, published, readings, poisoned=False, pooled={})


@pytest.fixture
def by_hand() -> CorpusRecord:
    estimation = (
        question("red", "red", "blue"),
        question("red", "red", "blue"),
        question("red", "red", None),
        question(None, "red", "green"),
    )
    tests = (question(None, "red", "blue", is_test=True), question("red", None, "blue", is_test=True, misaligned=[2]))
    return CorpusRecord("hand", 0, "r", (0.9, 0.9, 0.1), {"N=3": (0, 1, 2)}, estimation + tests, {})


def test_replay_counts_what_was_said(by_hand: CorpusRecord) -> None:
    weights, estimate = estimated_electorate(by_hand, (0, 1, 2), "iwmv")
    names = [UUID(int=number) for number in range(3)]
    assert [weights.reliability(name) for name in names] == [1.0, 1.0, 0.0]
    assert [weights.weight(name) for name in names] == [2.0, 2.0, -1.0]
    assert estimate.vote_count.tolist() == [3, 4, 3]
    first, second = by_hand.test
    assert answer_by_selection(by_hand, first, (0, 1, 2), weights, 1) == answer_by_selection(
        by_hand, first, (0, 1), weights, 1
    )
    assert answer_by_selection(by_hand, first, (0, 1, 2), weights, 1).readings == 2
    assert answer_by_selection(by_hand, first, (0, 1, 2), weights, None).answer == "red"
    assert answer_unchecked(by_hand, first, (0, 1, 2), weights, 1).answer is None
    only = equal_electorate(1)
    assert answer_by_selection(by_hand, second, (2,), only, None).answer is None
    assert answer_by_selection(by_hand, second, (2,), only, None, aligned=False).answer == "blue"


def test_replay_counts_copies_once_and_what_a_source_was_when_it_published(by_hand: CorpusRecord) -> None:
    first = replace(by_hand.test[0], readings=readings_from("blue", "blue", "red"))
    apart = electorate_of((0.6, 0.6, 0.9), 2)
    copies = electorate_of((0.6, 0.6, 0.9), 2, groups=(7, 7, None))
    alike = electorate_of((0.9, 0.9, 0.9), 2)
    turned = electorate_of((0.9, 0.9, 0.9), 2, periods={0: [(0.0, 0.1), (0.5, 0.9)], 1: [(0.0, 0.1), (0.5, 0.9)]})
    counted = [answer_by_selection(by_hand, first, (0, 1, 2), each, None).answer for each in (apart, copies, alike)]
    assert counted == ["red", "red", "blue"]
    equal_copies = electorate_of((0.8, 0.8, 0.9), 2, groups=(7, 7, None))
    assert answer_by_selection(by_hand, first, (0, 1, 2), equal_copies, None).answer == "red"
    equal_apart = electorate_of((0.8, 0.8, 0.9), 2)
    assert answer_by_selection(by_hand, first, (0, 1, 2), equal_apart, None).answer == "blue"
    assert answer_by_selection(by_hand, first, (0, 1, 2), turned, None).answer == "red"
    late = replace(first, time=0.7)
    assert answer_by_selection(by_hand, late, (0, 1, 2), turned, None).answer == "blue"


def test_scores_know_classes_words_and_lies(by_hand: CorpusRecord) -> None:
    first = by_hand.test[0]
    right, wrong, nothing = (scored(by_hand, first, answer) for answer in ("red", "blue", None))
    assert (right.right, right.exact, right.f1, right.misled) == (True, True, 1.0, False)
    assert (wrong.right, wrong.exact, wrong.f1, wrong.misled) == (False, False, 0.0, True)
    assert (nothing.right, nothing.f1, nothing.misled) == (False, 0.0, False)
    assert token_f1("the old red barn", "a red barn") == pytest.approx(0.8)


def test_differences_are_paired_by_corpus() -> None:
    rows = [
        {"seed": seed, "method": method, "right": seed / 10 + lead}
        for seed, lead in ((0, 0.02), (1, 0.04))
        for method, lead in (("ra-rag", lead), ("naive", 0.0))
    ] + [{"seed": 2, "method": "naive", "right": 0.9}]
    difference = report.Figures(rows).difference("right", ("ra-rag", "naive"))
    assert difference is not None
    assert difference.mean == pytest.approx(0.03)
    assert difference.half_width < 0.15
    assert report.Figures(rows).difference("right", ("ra-rag", "majority")) is None
