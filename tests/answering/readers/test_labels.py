"""Values behind labels: which of them a question asks for."""

from answering.questions.answer_type import content_words
from answering.readers import CompactReader
from answering.readers.subject_check import is_of_another_label
from tests.tables import for_each

FACTS = (
    "Elevation extremes of Austria: lowest point: Neusiedler See 115 m highest point: Grossglockner 3,798 m\n"
    "Capital of Austria: name: Vienna; geographic coordinates: 48 12 N, 16 22 E; etymology: the name is of a stream\n"
    "Birth rate: 9.4 births/1,000 population\n"
    "Death rate: 9.8 deaths/1,000 population"
)


@for_each(
    ("question", "value", "other"),
    [
        ("What is the highest point in Austria?", "Grossglockner", "Neusiedler"),
        ("What is the lowest point in Austria?", "Neusiedler", "Grossglockner"),
        ("What is the capital of Austria?", "Vienna", "of a stream"),
        ("What is the death rate of Austria?", "9.8", "9.4"),
        ("What is the birth rate of Austria?", "9.4", "9.8"),
    ],
)
def test_what_is_asked_for_has_its_own_label(question: str, value: str, other: str) -> None:
    asked, subject = content_words(question), content_words("Austria")
    assert not is_of_another_label(asked, subject, FACTS, FACTS.index(value))
    assert is_of_another_label(asked, subject, FACTS, FACTS.index(other))


@for_each("question", ["What is the climate of Austria?", "Who discovered Austria?", "Austria"])
def test_where_no_label_is_asked_for_none_is_another(question: str) -> None:
    asked, subject = content_words(question), content_words("Austria")
    assert not any(is_of_another_label(asked, subject, FACTS, start) for start in range(len(FACTS)))


async def test_the_reader_takes_the_value_of_the_label_that_is_asked_for() -> None:
    reader = CompactReader(threads=1)
    try:
        reading = await reader.read("What is the highest point in Austria?", [FACTS.splitlines()[0]], ["Austria"])
        assert reading.answer is not None
        assert "Grossglockner" in reading.answer
    finally:
        await reader.aclose()
