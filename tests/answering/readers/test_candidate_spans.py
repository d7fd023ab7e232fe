"""Candidate spans by the expected answer type."""

from hypothesis import given
from hypothesis import strategies as st

from answering.readers.candidate_spans import MAX_CANDIDATES, candidate_spans
from tests.tables import for_each


@for_each(
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


def test_things_are_short_runs_of_content_words() -> None:
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
def test_spans_occur_in_the_passages(question: str, passages: list[str]) -> None:
    flat = [" ".join(passage.split()) for passage in passages]
    spans = candidate_spans(question, passages)
    assert len(spans) <= MAX_CANDIDATES
    assert len(set(spans)) == len(spans)
    for span in spans:
        assert span
        assert all(any(word in passage for passage in flat) for word in span.split())
