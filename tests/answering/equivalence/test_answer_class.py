"""Keys and classes of answers: their form, order, representatives and limits."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.equivalence import AnswerClass, ClassPolicy, answer_key, classify, representative
from answering.equivalence.answer_class import MAX_KEY_CHARACTERS
from tests.answering.equivalence.pairs import load_pairs
from tests.tables import for_each

POLICIES = list(ClassPolicy)
PAIRS = load_pairs()
ANSWERS = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(sorted({answer for pair in PAIRS for answer in (pair.answer, pair.other)})),
    ),
    max_size=12,
)


@for_each(
    ("answer", "key"),
    [
        ("The Eiffel Tower.", "text:eiffel tower"),
        ("one thousand", "number:1000"),
        ("May 3, 1874", "date:1874-05-03"),
        ("1.5 km", "quantity:1500 m"),
        ("A", "text:a"),
        ("?!", "text:?!"),
        ("東京タワー", "text:東京タワー"),
        ("red, green and blue", "list:blue; green; red"),
        ("Louis the 14th", "text:louis 14"),
        ("more than 3,500", "bound:over 3500"),
        ("3 p.m.", "time:15:00"),
    ],
)
def test_keys(answer: str, key: str) -> None:
    assert answer_key(answer) == key


@for_each(
    ("question", "answer", "same_as"),
    [
        ("How many tonnes can the crane lift?", "320", "320 t"),
        ("how many square  kilometres is that", "about 12", "12 km2"),
        ("What is the height of the tower, in feet?", "ninety", "90 ft"),
        ("How many tonnes can the crane lift?", "320 kg", "320 kg"),
        ("How many tonnes can the crane lift?", "a tugboat", "a tugboat"),
        ("How many people crossed it?", "320", "320 inhabitants"),
        ("How many in the end?", "320", "320"),
        ("When was the 320 tonne crane built?", "1931", "1931"),
        ("In feet?", "", ""),
    ],
)
def test_a_bare_number_has_the_unit_that_the_question_names(question: str, answer: str, same_as: str) -> None:
    assert answer_key(answer, question=question) == answer_key(same_as)
    assert answer_key(answer, ClassPolicy.EXACT, question) == answer_key(answer, ClassPolicy.EXACT)


def test_the_most_frequent_then_the_shortest_spelling_represents() -> None:
    answers = ["one thousand", "1,000", "1000", "1,000", "Ilse Varn", "ILSE  VARN"]
    classification = classify(answers)
    assert classification.classes == (
        AnswerClass("number:1000", "1,000", 4),
        AnswerClass("text:ilse varn", "ILSE VARN", 2),
    )
    assert classification.index == (0, 0, 0, 0, 1, 1)
    assert classification.class_of(5).representative == "ILSE VARN"


def test_representative_of_spellings() -> None:
    assert representative(["42 metres", "42 m", "42 m.", "42 m."]) == "42 m."
    assert representative(["b", "a"]) == "a"


def test_no_answers_have_no_classes() -> None:
    assert classify([]).classes == ()


@given(ANSWERS, st.sampled_from(POLICIES), st.randoms(use_true_random=False))
def test_classes_do_not_depend_on_the_order(answers: list[str], policy: ClassPolicy, rng: random.Random) -> None:
    shuffled = answers.copy()
    rng.shuffle(shuffled)
    original, reordered = classify(answers, policy), classify(shuffled, policy)
    assert original.classes == reordered.classes
    by_answer = dict(zip(answers, original.index, strict=True))
    assert reordered.index == tuple(by_answer[answer] for answer in shuffled)


@given(ANSWERS, st.sampled_from(POLICIES))
def test_classes_are_a_partition(answers: list[str], policy: ClassPolicy) -> None:
    classification = classify(answers, policy)
    assert sum(answer_class.size for answer_class in classification.classes) == len(answers)
    assert len({answer_class.key for answer_class in classification.classes}) == len(classification.classes)
    for position, answer_class in enumerate(classification.classes):
        assert answer_class.size == classification.index.count(position)
        assert answer_class.key == answer_key(answer_class.representative, policy)


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.sampled_from(["{}", "{} people", "in {}", "{:,}", "May {}"]))
def test_other_numbers_are_other_classes(number: int, other: int, wording: str) -> None:
    classification = classify([wording.format(number), wording.format(other)])
    assert (len(classification.classes) == 1) == (number == other)


@given(st.text(st.characters()), st.sampled_from(POLICIES))
def test_a_key_can_be_stored_and_found_again(answer: str, policy: ClassPolicy) -> None:
    key = answer_key(answer, policy)
    assert key == answer_key(f" {answer.strip()}\n", policy)
    assert len(key) <= MAX_KEY_CHARACTERS
    assert "\x00" not in key
    key.encode()


def test_long_answers_with_the_same_beginning_differ() -> None:
    beginning = "word " * 1000
    assert answer_key(beginning + "one more") != answer_key(beginning + "another")
    assert answer_key(beginning) == answer_key(beginning.upper())


@pytest.mark.parametrize("part", ["one ", "a.", "x, ", "1,", "'", "twenty-", "and "])
def test_huge_answers_are_bounded(part: str) -> None:
    """Quadratic time would exceed the limit of every test."""
    for policy in POLICIES:
        assert len(classify([part * 20_000, part * 19_999, part], policy).classes) == 3


def test_many_distinct_answers_are_bounded() -> None:
    classification = classify([f"person {chr(97 + i % 26)}{i}" for i in range(5_000)], ClassPolicy.ROUNDED)
    assert len(classification.classes) == 5_000
