"""Rounded numbers and plurals: which classes the answers to one question are in, all together."""

import random

from hypothesis import given
from hypothesis import strategies as st

from answering.equivalence import ClassPolicy, answer_key, classify
from tests.tables import for_each

NUMBERS = st.one_of(
    st.integers(0, 10**7).map("{:,}".format),
    st.builds(lambda digits, zeros: f"{digits * 10**zeros:,}", st.integers(1, 9_999), st.integers(0, 4)),
    st.builds(lambda number, places: f"{number:.{places}f} km²", st.floats(0.01, 99_999), st.integers(0, 3)),
    st.sampled_from(
        ["84,000", "83,887", "84 thousand", "83.9 thousand", "468 km²", "468", "467.63 km²", "181 square miles"]
    ),
    st.sampled_from(
        ["1994", "1995", "1990", "$4.1 billion", "4.1 billion", "4,100,000,001", "51 %", "51.4 %", "2/3 km²"]
    ),
)
WORDS = st.sampled_from(
    ["bear", "bears", "Bears", "Bear", "Adam", "Adams", "euros", "Euro", "Euros", "glass", "glasses"]
)
ANSWERS = st.lists(st.one_of(NUMBERS, WORDS), max_size=15)


def classes(*answers: str) -> set[frozenset[str]]:
    """The classes as sets of answers."""
    index = classify(answers, ClassPolicy.ROUNDED).index
    return {frozenset(a for a, of in zip(answers, index, strict=True) if of == number) for number in index}


@for_each(
    ("joined", "apart"),
    [
        # A rounded number joins the exact one that is nearest.
        (["84,000", "83,887"], ["83,871"]),
        (["84,000", "84,010"], ["83,871"]),
        # Two exact ones as near: the smaller.
        (["84,000", "83,990"], ["84,010"]),
        # All members of a class are roundings of one exact number, so no chain joins 84,000 and 83,451.
        (["83,500", "83,451"], ["84,000"]),
        (["84,000", "83,900", "83,887"], []),
        (["euros", "Euro", "Euros"], []),
        # Names have no plural.
        (["Adam"], ["Adams"]),
        (["468 km²", "467.63 square kilometers", "468.0"], ["467"]),
        # A bare number has the unit of the one quantity with it, or of all others, if they have but one.
        (["$4.1 billion", "4.1 billion"], ["65 %"]),
        (["$12 billion", "12.2 billion"], []),
        (["5 km"], ["5", "5 miles"]),
    ],
)
def test_classes_of_answers_together(joined: list[str], apart: list[str]) -> None:
    together = classes(*joined, *apart)
    assert frozenset(joined) in together
    assert together >= {frozenset([answer]) for answer in apart}


@given(ANSWERS, st.randoms(use_true_random=False))
def test_the_order_of_answers_changes_nothing(answers: list[str], rng: random.Random) -> None:
    shuffled = rng.sample(answers, len(answers))
    assert classes(*answers) == classes(*shuffled)
    assert classify(answers, ClassPolicy.ROUNDED).classes == classify(shuffled, ClassPolicy.ROUNDED).classes


@given(st.one_of(NUMBERS, WORDS), st.one_of(NUMBERS, WORDS))
def test_two_answers_are_the_same_in_either_order(answer: str, other: str) -> None:
    assert classes(answer, other) == classes(other, answer)


@given(ANSWERS, st.one_of(NUMBERS, WORDS))
def test_one_more_answer_parts_no_equal_ones(answers: list[str], another: str) -> None:
    together = classes(*answers, another)
    for answer in answers:
        own = next(one for one in together if answer in one)
        assert {other for other in answers if answer_key(other) == answer_key(answer)} <= own


@given(ANSWERS, st.integers(2, 5))
def test_how_often_an_answer_is_given_parts_and_joins_nothing(answers: list[str], times: int) -> None:
    assert classes(*answers) == classes(*answers * times)


@given(st.integers(1_000, 2_999), st.integers(1_000, 2_999), ANSWERS)
def test_years_never_meet(year: int, other: int, company: list[str]) -> None:
    index = classify([str(year), str(other), *company], ClassPolicy.ROUNDED).index
    assert (index[0] == index[1]) == (year == other)


def test_a_thousand_numbers_are_bounded() -> None:
    answers = [f"{84_000 + number / 7:.3f} km²" for number in range(900)] + [f"{number}000" for number in range(10, 99)]
    assert len(classify(answers, ClassPolicy.ROUNDED).index) == 989
