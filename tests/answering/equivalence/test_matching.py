# ruff: noqa: RUF001  characters that look like others are what is tested
"""The parts of FUZZY: matching, blocking keys, names, lists, embedded values, spellings and numerals."""

from hypothesis import given
from hypothesis import strategies as st

from answering.equivalence.clustering import MAX_BLOCK, blocking_keys, cluster, is_extended_by, is_same
from answering.equivalence.embedded_values import only_value_in
from answering.equivalence.lists import MAX_ITEMS, list_items, split_list
from answering.equivalence.parsed_answer import comparable_words, parse_answer
from answering.equivalence.person_names import abbreviates, possible_names
from answering.equivalence.places import regions
from answering.equivalence.spelling import is_typo, singular, standard_spelling
from answering.equivalence.values.numerals import ROMAN_NUMERALS
from tests.answering.equivalence.pairs import load_pairs
from tests.tables import for_each

PAIRS = load_pairs()
ANSWERS = sorted({answer for pair in PAIRS for answer in (pair.answer, pair.other)})
WRITTEN = st.one_of(st.sampled_from(ANSWERS), st.text(max_size=30))


@given(st.one_of(st.sampled_from(PAIRS).map(lambda pair: (pair.answer, pair.other)), st.tuples(WRITTEN, WRITTEN)))
def test_matching_answers_have_a_blocking_key_in_common(pair: tuple[str, str]) -> None:
    """Only answers with a common blocking key are compared."""
    ours, theirs = map(parse_answer, pair)
    if is_same(ours, theirs) or is_extended_by(ours, theirs) or is_extended_by(theirs, ours):
        assert not frozenset(blocking_keys(ours)).isdisjoint(blocking_keys(theirs))


@given(WRITTEN, WRITTEN)
def test_is_same_is_symmetric_and_is_extended_by_is_not(answer: str, other: str) -> None:
    ours, theirs = parse_answer(answer), parse_answer(other)
    assert is_same(ours, theirs) == is_same(theirs, ours)
    assert not (is_extended_by(ours, theirs) and is_extended_by(theirs, ours))


@given(WRITTEN)
def test_an_answer_is_the_same_as_itself(answer: str) -> None:
    assert is_same(parse_answer(answer), parse_answer(answer))


def test_of_a_large_block_only_the_most_frequent_are_compared() -> None:
    spellings = {f"text:{name}": [name] for name in ("Varn", *(f"Ilse{number} Varn" for number in range(MAX_BLOCK)))}
    assert len(cluster(spellings)) == len(spellings)


@for_each(
    ("answer", "readings"),
    [
        ("J. R. Smith", {("j", "r", "smith")}),
        ("JR Smith", {("jr", "smith"), ("j", "r", "smith")}),
        ("Smith, John R.", {("john", "r", "smith")}),
        ("José Álvarez", {("jose", "alvarez")}),
        ("Vincent van Gogh", {("vincent", "van", "gogh")}),
        ("O’Leary, T.", {("t", "oleary")}),
        ("Battle of Hastings", set()),
        ("a novel", set()),
        ("John Smith, Jane Smith, Ilse Varn", set()),
        ("3 May", set()),
    ],
)
def test_names(answer: str, readings: set[tuple[str, ...]]) -> None:
    assert possible_names(answer) == readings


@for_each(
    ("short", "long", "does"),
    [
        ("j smith", "john smith", True),
        ("john smith", "john r smith", True),
        ("j r smith", "john robert smith", True),
        ("john smith", "j smith", False),
        ("john smith", "john robert smith", False),
        ("john r smith", "john t smith", False),
        ("j smith", "john jones", False),
        ("john smith", "john smith", False),
    ],
)
def test_a_name_abbreviates_another(short: str, long: str, *, does: bool) -> None:
    assert abbreviates(tuple(short.split()), tuple(long.split())) is does


@for_each(
    ("answer", "items"),
    [
        ("red, green and blue", ("blue", "green", "red")),
        ("A; B", ("a", "b")),
        ("salt & pepper", ("pepper", "salt")),
        ("Paris, France", None),
        ("Miami, Florida, USA", None),
        ("France, Spain, Italy", ("france", "italy", "spain")),
        ("Martin Luther King, Jr.", None),
        ("a hundred and five ships", None),
        ("1,000, 2,000 and 3,000", None),
        ("he came, saw and left", None),
        ("東京、大阪", ("大阪", "東京")),
        ("one", None),
        ("", None),
    ],
)
def test_lists(answer: str, items: tuple[str, ...] | None) -> None:
    assert list_items(answer) == items


def test_a_long_list_is_none() -> None:
    assert list_items(", ".join(["x"] * (MAX_ITEMS + 1))) is None


@given(st.lists(st.sampled_from(["red", "green", "Ilse Varn", "salt"]), min_size=2, max_size=6))
def test_a_list_is_its_items_in_any_order(items: list[str]) -> None:
    backwards = items[::-1]
    assert list_items("; ".join(items)) == list_items(" and ".join(backwards))
    assert len(split_list("; ".join(items))) == len(items)


@for_each(
    ("answer", "key"),
    [
        ("It had 3,559 inhabitants.", "quantity:3559 person"),
        ("The tower is 42 metres tall", "quantity:42 m"),
        ("born on May 3, 1874 in Paris", "date:1874-05-03"),
        ("two cups of beans", "number:2"),
        ("it sold for $5 million", "quantity:5000000 USD"),
        ("5 apples and 3 pears", None),
        ("in 1990 it was 3,559", None),
        ("more than 3,559 came", None),
        ("not in 1874", None),
        ("Apollo 11", None),
        ("10 Downing Street", None),
        ("no number here", None),
        ("1 2 3 4 5 6 7 8 9", None),
    ],
)
def test_the_only_value_that_is_mentioned(answer: str, key: str | None) -> None:
    value = only_value_in(answer)
    assert (value and value.key) == key


@for_each(
    ("plural", "expected"),
    [
        ("dogs", "dog"),
        ("cities", "city"),
        ("boxes", "box"),
        ("churches", "church"),
        ("wolves", "wolf"),
        ("women", "woman"),
        ("glass", "glass"),
        ("news", "news"),
        ("bus", "bus"),
        ("basis", "basis"),
        ("gas", "gas"),
    ],
)
def test_singular(plural: str, expected: str) -> None:
    assert singular(plural) == expected


@for_each(
    ("word", "spelled"),
    [("zürich", "zurich"), ("łódź", "lodz"), ("colour", "color"), ("мой", "мой"), ("organise", "organize")],
)
def test_plain_spelling(word: str, spelled: str) -> None:
    assert standard_spelling(word) == spelled


@for_each(
    ("word", "other", "expected"),
    [
        ("missisippi", "mississippi", True),
        ("mississippi", "mississippi", True),
        ("alexandra", "alexandria", False),
        ("prescribe", "proscribe", False),
        ("dominica", "dominican", False),
        ("christian", "christina", False),
        ("nitrate", "nitrite", False),
    ],
)
def test_typing_errors(word: str, other: str, *, expected: bool) -> None:
    assert is_typo(word, other) is expected


@for_each(
    ("number", "numeral"),
    [(1, "I"), (4, "IV"), (9, "IX"), (14, "XIV"), (19, "XIX"), (29, "XXIX"), (30, "XXX"), (40, "XL"), (89, "LXXXIX")],
)
def test_roman_numerals(number: int, numeral: str) -> None:
    assert ROMAN_NUMERALS[numeral.lower()] == number


@for_each("word", ["", "iiii", "vx", "ic", "xil", "abc", "mix"])
def test_what_is_no_roman_numeral(word: str) -> None:
    assert word not in ROMAN_NUMERALS


def test_regions_are_spelled_as_answers_are_compared() -> None:
    assert {" ".join(comparable_words(region)) for region in regions()} == regions()
