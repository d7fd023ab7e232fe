"""Training passages of the reader: pieces, search results, and questions that they do not answer."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.data.squad import Example
from benchmarks.training.reader.passages import (
    about_another,
    cut_before_answer,
    misspelt,
    names_of,
    piece,
    search_result,
    unpunctuated,
    without_answer,
)
from tests.tables import for_each

PASSAGE = (
    "The mill stands at the mouth of the river Orr, a mile from the town. It was built for a brewer. "
    "It was built by Tora Myhre in 1874, who had learnt her trade in Oslo! A storm took its sails in 1911. "
    "Today (it is said) it houses a museum of ropes."
)
QUESTION = "Who built the mill at the Orr?"
START = PASSAGE.index("Tora Myhre")
EXAMPLE = Example(QUESTION, PASSAGE, (START, START + len("Tora Myhre")), "test")


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 80))
def test_every_form_keeps_the_answer_in_its_span(seed: int, words: int) -> None:
    random = Random(seed)
    part = piece(EXAMPLE, words, random)
    assert part.answer == search_result(part, random).answer == "Tora Myhre"
    assert unpunctuated(search_result(part, random)).answer == "tora myhre"


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_results_that_break_off_before_the_answer_do_not_hold_it(seed: int) -> None:
    cut = cut_before_answer(EXAMPLE, Random(seed))
    assert cut is not None
    assert "Myhre" not in cut.passage
    assert cut.span is None


def test_a_short_piece_is_the_sentence_that_answers() -> None:
    assert piece(EXAMPLE, 5, Random(1)).passage.startswith("It was built by Tora Myhre in 1874")


def test_without_an_answer_a_piece_is_the_sentence_nearest_to_the_question() -> None:
    unanswered = Example("What did the storm take in 1911?", PASSAGE, None, "test")
    assert piece(unanswered, 3, Random(1)).passage.strip() == "A storm took its sails in 1911."


def test_the_sentence_with_the_answer_can_be_left_out() -> None:
    rest = without_answer(EXAMPLE)
    assert rest is not None
    assert "Myhre" not in rest.passage
    assert "brewer" in rest.passage


def test_a_question_about_another_name_has_no_answer() -> None:
    other = about_another(EXAMPLE, ["Vistula"], Random(1))
    assert other is not None
    assert other.question == "Who built the mill at the Vistula?"
    assert other.span is None
    assert about_another(EXAMPLE, ["Oslo"], Random(1)) is None


def test_names_are_those_after_the_first_word() -> None:
    assert names_of(["Where is Lake Nore?", "Is it Oslo?"]) == ["Lake Nore", "Oslo"]


def test_text_without_punctuation_keeps_its_numbers() -> None:
    example = Example("Is it 3.5 km?", 'Yes: "3,500.5" m.', None, "test")
    assert unpunctuated(example).passage == "yes 3,500.5 m"


@for_each("seed", range(5))
def test_a_misspelt_question_differs_in_one_word(seed: int) -> None:
    words, spelt = misspelt("Who built it there?", Random(seed)).split(), ["Who", "built", "it", "there?"]
    assert sum(word != right for word, right in zip(words, spelt, strict=True)) <= 1
    assert misspelt("Is it?", Random(seed)) == "Is it?"
