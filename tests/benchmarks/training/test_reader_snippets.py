"""Training passages in the form of results of a web search."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.data.squad import Example
from benchmarks.training.reader.snippets import HEADLINE_WORDS, TEXT_WORDS, snippet

PASSAGE = (
    "The mill stands at the mouth of the river Orr, a mile from the town. It was built by Tora Myhre in 1874, who had "
    "learnt her trade in the yards of Oslo and of Bergen, where her brothers worked on ships for a dozen years! "
    "A storm took its sails in 1911. Today (it is said) it houses a museum of ropes."
)
START = PASSAGE.index("Tora Myhre")
ANSWERED = Example("Who built the mill at the Orr?", PASSAGE, (START, START + len("Tora Myhre")), "test")
UNANSWERED = Example("What did the storm take in 1911?", PASSAGE, None, "test")
SEEDS = st.integers(0, 100_000)


def _made(example: Example) -> list[Example]:
    return [snippet(example, Random(seed)) for seed in range(200)]


@given(SEEDS)
def test_the_answer_stands_in_the_headline_or_the_text(seed: int) -> None:
    made = snippet(ANSWERED, Random(seed))
    assert made.answer == "Tora Myhre"
    assert made.question == ANSWERED.question


@given(SEEDS)
def test_it_is_a_headline_and_a_text_of_some_two_dozen_words(seed: int) -> None:
    headline, text = snippet(ANSWERED, Random(seed)).passage.split("\n")
    assert 1 <= len(headline.replace("...", "").split()) <= HEADLINE_WORDS[1]
    assert 1 <= len(text.replace("...", "").split()) <= TEXT_WORDS[1]


def test_a_passage_that_does_not_answer_is_shown_where_it_is_nearest_to_the_question() -> None:
    made = _made(UNANSWERED)
    assert all(example.span is None for example in made)
    assert sum("storm" in example.passage.lower() for example in made) > 150


def test_headlines_are_cut_and_in_capitals_and_the_answer_is_in_some_of_them() -> None:
    headlines = [example.passage.split("\n")[0] for example in _made(ANSWERED)]
    answering = [headline for headline in headlines if "Tora Myhre" in headline]
    assert 80 < len(answering) < 180
    assert any(headline.startswith("It Was Built by Tora Myhre in 1874") for headline in answering)
    assert any(headline.endswith(" ...") for headline in headlines)


@given(st.text(max_size=80), SEEDS)
def test_any_passage_can_be_shown(passage: str, seed: int) -> None:
    assert snippet(Example("What is it?", passage, None, "test"), Random(seed)).span is None


@given(st.text(min_size=1, max_size=80), st.data())
def test_any_answer_keeps_its_letters(passage: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(passage) - 1))
    end = data.draw(st.integers(start + 1, len(passage)))
    answer = passage[start:end]
    made = snippet(Example("What is it?", passage, (start, end), "test"), Random(data.draw(SEEDS)))
    if answer.strip() == answer:
        assert made.answer.casefold() == answer.casefold()
