"""Lines of fact sheets are read as sentences, and what is read in these is found in the lines."""

from answering.readers import CompactReader
from answering.readers.english.field_sentences import field_sentences
from tests.tables import for_each


@for_each(
    ("text", "sentences"),
    [
        ("Area of Lyng: total : 316 sq km; land: 310 sq km", "The area of Lyng is 316 sq km; land: 310 sq km."),
        ("Languages of the Lyng Isles: Norn, Scots", "The languages of the Lyng Isles are Norn, Scots."),
        ("Esk\nCapital of Esk: name: Varn\nIt rains.", "Esk\nThe capital of Esk is Varn.\nIt rains."),
        ("A of Esk: Varn", None),
        ("Climate of Esk", None),
        ("Elevation of Esk: lowest point: Varn 3 m; highest point: Tor 9 m", None),
        ("Background of Esk: It was founded in 874. Norn was spoken.", None),
        ("", None),
    ],
)
def test_lines_of_a_field_and_a_value_become_sentences(text: str, sentences: str | None) -> None:
    rewritten = field_sentences(text)
    assert (rewritten and rewritten.text) == sentences


def test_every_part_of_a_sentence_stands_for_characters_of_its_line() -> None:
    text = "Esk\nCapital of Esk: name: Varn\nLanguages of Esk: Norn\nIt rains."
    rewritten = field_sentences(text)
    assert rewritten is not None
    for words in ("Esk", "Varn", "Norn", "It rains", "of Esk"):
        start = rewritten.text.rindex(words)
        first, last = rewritten.original(start, start + len(words))
        assert text[first:last] == words
    for start in range(len(rewritten.text)):
        for end in range(start, len(rewritten.text) + 1):
            first, last = rewritten.original(start, end)
            assert 0 <= first <= last <= len(text)


async def test_a_line_is_read_with_more_confidence_and_located_in_the_passage() -> None:
    reader = CompactReader(threads=1)
    passage = "Coastline of Norway: 25,148 km\n\nArea of Norway: total: 323,802 sq km; land: 304,282 sq km"
    reading = await reader.read("What is the area of Norway?", [passage], ["Norway"])
    await reader.aclose()
    assert reading.answer == "323,802 sq km"
    assert reading.location is not None
    assert passage[reading.location.start : reading.location.end] == "323,802 sq km"
    assert (reading.confidence or 0.0) > 0.3
