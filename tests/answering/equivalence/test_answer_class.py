# ruff: noqa: RUF001  characters that look like others are what is tested
"""Which answers meet under which policy, and which never do."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.equivalence import AnswerClass, ClassPolicy, answer_key, classify, representative
from answering.equivalence.answer_class import MAX_KEY_CHARACTERS

EXACTLY = [
    ("Ilse Varn", "ilse varn."),
    ("The Eiffel Tower", "Eiffel tower"),
    ("O’Brien", "O'Brien"),
    ("Jean-Paul", "Jean Paul"),
    ("J. R. R. Tolkien", "J.R.R. Tolkien"),
    ("U.S.A.", "the USA"),
    ("«Война и мир»", "война и мир"),
    ("Zoe\u0308", "Zoë"),
    ("Johnson & Johnson", "Johnson and Johnson"),
    ("1,000 ships", "1000 ships"),
]
BY_VALUE = [
    ("1,000", "one thousand"),
    ("3 May 1874", "1874-05-03"),
    ("42 m", "42 metres"),
    ("forty-two members", "42 members"),
    ("a hundred ships", "100 ships"),
    ("Second World War", "2nd World War"),
    ("twenty-first century", "the 21st century"),
    ("3.50 apples", "3.5 apples"),
    ("red, green and blue", "blue, red, green"),
]
PROBABLY = [
    ("Ilse Varn", "Captain Ilse Varn"),
    ("Ilse Varn", "Varn, Ilse"),
    ("Varn", "Ilse Varn"),
    ("Missisippi", "Mississippi"),
    ("Zürich", "Zurich"),
    ("e-mail", "email"),
    ("42", "42 members"),
    ("42", "42 m"),
    ("26 miles", "42 km"),
    ("in Paris", "Paris"),
    ("Jupiter", "Jupiter is the largest planet"),
    ("Jupiter", "It is Jupiter."),
]
NEVER = [
    ("1994", "1995"),
    ("3,559", "3,595"),
    ("3,559 people", "3,595 people"),
    ("John Smith", "Jane Smith"),
    ("Mario Sandoval", "Maria Sandoval"),
    ("Iran", "Iraq"),
    ("nitrate", "nitrite"),
    ("World War I", "World War II"),
    ("Elizabeth I", "Elizabeth II"),
    ("First World War", "World War"),
    ("guilty", "not guilty"),
    ("Korea", "North Korea"),
    ("see it", "cannot see it"),
    ("25 dollars", "almost 25 dollars"),
    ("York", "New York"),
    ("Lord Byron", "Lady Byron"),
    ("John Smith", "John Smith Jr."),
    ("Hastings", "Battle of Hastings"),
    ("Paris", "Paris Metro"),
    ("Jupiter", "Jupiter and Saturn"),
    ("1874", "3 May 1874"),
    ("3.5", "35"),
    ("-5", "5"),
    ("-5 apples", "5 apples"),
    ("C", "C++"),
    ("C#", "C++"),
    ("A+", "A-"),
    ("Vitamin A", "Vitamin B"),
    ("Vitamin A", "Vitamin"),
    ("50%", "50 members"),
    ("42 m", "42 km"),
    ("42 m", "43 m"),
    ("no one", "No. 1"),
    ("東京", "大阪"),
    ("🙂", "🙁"),
    ("Apollo 11", "Apollo 13"),
    ("5'10", "510"),
]
POLICIES = list(ClassPolicy)
ANSWERS = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from([answer for pair in EXACTLY + BY_VALUE + PROBABLY + NEVER for answer in pair]),
    ),
    max_size=12,
)


def meet(one: str, other: str, policy: ClassPolicy) -> bool:
    return len(classify([one, other], policy).classes) == 1


@pytest.mark.parametrize(("one", "other"), EXACTLY)
@pytest.mark.parametrize("policy", POLICIES)
def test_the_same_words_meet_under_every_policy(one: str, other: str, policy: ClassPolicy) -> None:
    assert meet(one, other, policy)


@pytest.mark.parametrize(("one", "other"), BY_VALUE)
def test_the_same_value_meets_unless_words_must_be_exact(one: str, other: str) -> None:
    assert not meet(one, other, ClassPolicy.EXACT)
    assert meet(one, other, ClassPolicy.VALUES)
    assert meet(one, other, ClassPolicy.FUZZY)


@pytest.mark.parametrize(("one", "other"), PROBABLY)
def test_what_is_probably_the_same_meets_under_fuzzy_only(one: str, other: str) -> None:
    assert not meet(one, other, ClassPolicy.EXACT)
    assert not meet(one, other, ClassPolicy.VALUES)
    assert meet(one, other, ClassPolicy.FUZZY)


@pytest.mark.parametrize(("one", "other"), NEVER)
@pytest.mark.parametrize("policy", POLICIES)
def test_what_differs_never_meets(one: str, other: str, policy: ClassPolicy) -> None:
    assert not meet(one, other, policy)


@pytest.mark.parametrize(
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
def test_a_key_says_what_it_means(answer: str, key: str) -> None:
    assert answer_key(answer) == key


def test_the_most_frequent_then_the_shortest_spelling_represents() -> None:
    answers = ["one thousand", "1,000", "1000", "1,000", "Ilse Varn", "ILSE  VARN"]
    found = classify(answers)
    assert found.classes == (AnswerClass("number:1000", "1,000", 4), AnswerClass("text:ilse varn", "ILSE VARN", 2))
    assert found.index == (0, 0, 0, 0, 1, 1)
    assert found.class_of(5).representative == "ILSE VARN"


def test_representative_of_spellings() -> None:
    assert representative(["42 metres", "42 m", "42 m.", "42 m."]) == "42 m."
    assert representative(["b", "a"]) == "a"


def test_a_short_answer_that_fits_two_that_differ_joins_neither() -> None:
    found = classify(["Varn", "Ilse Varn", "Karl Varn", "5", "5 apples", "5 oranges"], ClassPolicy.FUZZY)
    assert len(found.classes) == 6


def test_no_chain_joins_what_differs() -> None:
    found = classify(["Varn", "Varn", "Ilse Varn", "Captain Ilse Varn", "Captain Varn"], ClassPolicy.FUZZY)
    assert len(found.classes) == 1
    found = classify(["Lord Byron", "Byron", "Byron", "Lady Byron"], ClassPolicy.FUZZY)
    assert [found_class.size for found_class in found.classes] == [2, 1, 1]


def test_nothing_is_no_class() -> None:
    assert classify([]).classes == ()


@given(ANSWERS, st.sampled_from(POLICIES), st.randoms(use_true_random=False))
def test_classes_do_not_depend_on_the_order(answers: list[str], policy: ClassPolicy, rng: random.Random) -> None:
    shuffled = answers.copy()
    rng.shuffle(shuffled)
    ours, theirs = classify(answers, policy), classify(shuffled, policy)
    assert ours.classes == theirs.classes
    by_answer = dict(zip(answers, ours.index, strict=True))
    assert theirs.index == tuple(by_answer[answer] for answer in shuffled)


@given(ANSWERS, st.sampled_from(POLICIES))
def test_classes_are_a_partition(answers: list[str], policy: ClassPolicy) -> None:
    found = classify(answers, policy)
    assert sum(one.size for one in found.classes) == len(answers)
    assert len({one.key for one in found.classes}) == len(found.classes)
    for at, one in enumerate(found.classes):
        assert one.size == found.index.count(at)
        assert one.key == answer_key(one.representative, policy)


@given(ANSWERS)
def test_fuzzy_parts_nothing_that_values_joins(answers: list[str]) -> None:
    values, fuzzy = (classify(answers, policy).index for policy in (ClassPolicy.VALUES, ClassPolicy.FUZZY))
    assert len(set(zip(values, fuzzy, strict=True))) == len(set(values))


@given(ANSWERS)
def test_what_differs_does_not_meet_in_any_company(answers: list[str]) -> None:
    for one, other in NEVER[:12]:
        found = classify([one, other, *answers], ClassPolicy.FUZZY)
        assert found.index[0] != found.index[1]


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.sampled_from(["{}", "{} people", "in {}", "{:,}", "May {}"]))
def test_other_numbers_never_meet(one: int, other: int, wording: str) -> None:
    same = classify([wording.format(one), wording.format(other)], ClassPolicy.FUZZY)
    assert (len(same.classes) == 1) == (one == other)


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
        classify([part * 100_000, part * 99_999, part], policy)


def test_many_distinct_answers_are_bounded() -> None:
    found = classify([f"person {chr(97 + i % 26)}{i}" for i in range(5_000)], ClassPolicy.FUZZY)
    assert len(found.classes) == 5_000
