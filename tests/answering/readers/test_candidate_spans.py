"""Which spans could answer which question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.readers.answer_type import AnswerType, content_words, expected_answer_type
from answering.readers.candidate_spans import MAX_CANDIDATES, candidate_spans
from answering.readers.clauses import clauses


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How tall is the mast?", AnswerType.QUANTITY),
        ("What is the mean annual rainfall of Lyng?", AnswerType.QUANTITY),
        ("What was the price of the boat?", AnswerType.QUANTITY),
        ("How many tonnes can the crane lift?", AnswerType.QUANTITY),
        ("How many square kilometres has the lake?", AnswerType.QUANTITY),
        ("How many boats sank?", AnswerType.COUNT),
        ("What is the population of Lyng?", AnswerType.COUNT),
        ("In which year did the mill close?", AnswerType.YEAR),
        ("When did the mill close?", AnswerType.DATE),
        ("On what date was the mill sold?", AnswerType.DATE),
        ("Who built the mill?", AnswerType.NAME),
        ("Where does the river rise?", AnswerType.NAME),
        ("Which bird is on the flag?", AnswerType.THING),
        ("What was she carrying when she sank?", AnswerType.THING),
        ("Which book did the man who drowned write?", AnswerType.THING),
        ("Wer baute die Mühle?", AnswerType.THING),
        ("", AnswerType.THING),
    ],
)
def test_what_is_asked_for(question: str, kind: AnswerType) -> None:
    assert expected_answer_type(question) is kind


@pytest.mark.parametrize(
    ("question", "text", "spans"),
    [
        (
            "How long is the pier?",
            "Built in 1874, the pier is 1,340 metres long and 12 wide.",
            ["1,340 metres", "12 wide"],
        ),
        (
            "How long does the crossing take?",
            "It takes three hours and forty minutes.",
            ["three hours and forty minutes"],
        ),
        ("How fast is it?", "It makes 32 kilometres per hour at sea.", ["32 kilometres per hour"]),
        ("How cold is the water?", "About 12 degrees Celsius in May.", ["12 degrees Celsius"]),
        ("How many boats sank?", "In 1972 a storm sank fourteen boats.", ["fourteen"]),
        ("In which year did it open?", "It opened in 1956 with 112 students.", ["1956"]),
        ("When was it lit?", "First lit on the 3rd of May 1878.", ["3rd of May 1878"]),
        ("When was it built?", "Built, in part, on June 21, 1402, by monks.", ["June 21, 1402"]),
        ("When was it built?", "On 14 July 1821. The 14 monks left in May.", ["14 July 1821", "May"]),
        ("Who cast the bell?", "In 1709 Dr. J. R. Tveit cast the bell.", ["J. R. Tveit"]),
        ("Who paid for the mill?", "The Guild of Ropemakers paid for it.", ["Guild of Ropemakers"]),
        ("Who cast the bell?", "It was Captain Ole Moe, whom Queen Ragnhild knew.", ["Ole Moe", "Queen Ragnhild"]),
        ("Who owns Lyng?", "Lyng belongs to Tora Myhre of Upper Kvern.", ["Tora Myhre of Upper Kvern"]),
    ],
)
def test_spans_that_could_answer(question: str, text: str, spans: list[str]) -> None:
    assert candidate_spans(question, [text]) == spans


def test_things_are_short_runs_of_words_that_mean_something() -> None:
    spans = candidate_spans("Which bird is on the flag?", ["The flag shows a white gannet, on a dark green field."])
    assert {"white gannet", "gannet", "dark green field"} <= set(spans)
    assert not {"a white gannet", "gannet on", "flag"} & set(spans)


def test_a_measure_is_a_thing() -> None:
    passage = "It is 1,067 mm wide and has 12 bridges."
    assert "1,067 mm" in candidate_spans("What is special about the railway?", [passage])


def test_a_title_in_marks_of_emphasis_is_a_span_of_its_own() -> None:
    passage = "The Opera House played *The Drowned King* first."
    assert "Drowned King" in candidate_spans("Which opera was played?", [passage])


@given(st.text(), st.lists(st.text(), max_size=3))
def test_spans_stand_in_the_passages(question: str, passages: list[str]) -> None:
    flat = [" ".join(passage.split()) for passage in passages]
    spans = candidate_spans(question, passages)
    assert len(spans) <= MAX_CANDIDATES
    assert len(set(spans)) == len(spans)
    for span in spans:
        assert span
        assert all(any(word in passage for passage in flat) for word in span.split())


@given(st.text())
def test_clauses_lose_no_word(text: str) -> None:
    kept = [word for clause in clauses(text) for word in clause]
    letters = [character for character in text if character.isalnum()]
    assert [character for word in kept for character in word if character.isalnum()] == letters


@pytest.mark.parametrize(
    "words",
    ["close closes closed closing", "die dies died", "boat boats", "city cities", "carry carried", "paint painting"],
)
def test_words_of_one_stem_mean_the_same(words: str) -> None:
    assert len(content_words(words)) == 1


def test_some_words_mean_nothing() -> None:
    assert not content_words("of the and to")
