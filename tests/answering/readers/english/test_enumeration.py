import pytest

from answering.readers import CompactReader
from answering.readers.english.enumeration import labelled_list, whole_list
from answering.readers.english.shares import largest_share
from tests.tables import for_each


@pytest.mark.parametrize(
    ("passage", "name", "items"),
    [
        (
            "Languages of Ostmark: Dutch (official) 60%, French 40%, German less than 1%, legally bilingual",
            "Dutch",
            "Dutch, French, German",
        ),
        ("The languages of Ostmark are German, French, Dutch.", "Dutch", "German, French, Dutch"),
        (
            "Border countries of Ostmark: Varn 402 km, Lund Land 801 km, Brin 34 km",
            "Lund Land",
            "Varn, Lund Land, Brin",
        ),
        ("It was written by Aho, Hopcroft and Ullman in 1974, before others came.", "Aho", "Aho, Hopcroft, Ullman"),
        ("They settled in Varn. Aho, Brin and Lund moved on.", "Brin", "Aho, Brin, Lund"),
        # A list of two may be one thing, and what is no name is told in too many ways.
        ("The mill was built by Tora Myhre and Ida Kolb.", "Tora Myhre", "Tora Myhre"),
        ("Symptoms are fever, cough and headache.", "cough", "cough"),
        ("Tora Myhre, who was born in Lund, built the mill.", "Tora Myhre", "Tora Myhre"),
        ("It lies between Aho, Brin and Varn.", "Aho, Brin and Varn", "Aho, Brin and Varn"),
        ("It lies in Varn", "Varn", "Varn"),
    ],
)
def test_a_name_is_extended_to_its_list(passage: str, name: str, items: str) -> None:
    start = passage.index(name)
    first, last, listed = whole_list(passage, start, start + len(name))
    assert listed == items
    assert first <= start
    assert start + len(name) <= last <= len(passage)


@pytest.mark.parametrize(
    ("question", "passage", "name", "items"),
    [
        ("What language is spoken in Esk?", "Languages of Esk: Norn (of old), Scots.", "Scots", "Norn; Scots"),
        (
            "Name the languages of Esk.",
            "Languages of Esk: Norn, local ones - Scots, and others",
            "Norn",
            "Norn; Scots",
        ),
        ("What are the languages of Esk?", "Languages of Esk: Languages: Norn 9%, Scots", "9%", "Norn; Scots"),
        ("What is the official language of Esk?", "Languages of Esk: Norn (official), Scots.", "Norn", "Norn"),
        ("What is the official language of Esk?", "Languages of Esk: Norn (official), Scots.", "Scots", "Norn"),
        (
            "Which are the official languages of Esk?",
            "Languages of Esk: Norn (or Old Norn) (official) 60%, Scots 30%, Sami 6% (official, of late).",
            "Norn",
            "Norn; Sami",
        ),
        ("What is the official language of Esk?", "Languages of Esk: Norn, Scots.", "Norn", None),
        ("What do people speak in Esk?", "Languages of Esk: Norn, Scots.", "Norn", "Norn; Scots"),
        ("What do people eat in Esk?", "Languages of Esk: Norn, Scots.", "Norn", None),
        (
            "What is the official language of Esk?",
            "Official languages of Esk are Norn, Scots.",
            "Scots",
            "Norn; Scots",
        ),
        ("What language do most speak in Esk?", "Languages of Esk: Norn, Scots.", "Norn", None),
        ("What is the capital of Esk?", "Capital of Esk: Varn, Lyng.", "Varn", None),
        ("Which language is spoken in Esk?", "Languages of Esk: Norn 99%, other 1%.", "Norn", None),
    ],
)
def test_what_a_label_in_the_plural_names_is_all_of_it(
    question: str, passage: str, name: str, items: str | None
) -> None:
    start = passage.index(name)
    found = labelled_list(passage, start, start + len(name), question)
    assert (found[2] if found else None) == items


async def test_a_question_for_several_is_answered_with_the_whole_list() -> None:
    reader, passage = CompactReader(threads=1), "Languages of Belgium: Dutch (official) 60%, French 40%, German 1%."
    several = await reader.read("Which languages are spoken in Belgium?", [passage])
    one = await reader.read("Which language do most people speak in Belgium?", [passage])
    await reader.aclose()
    assert several.answer == "Dutch, French, German"
    assert several.location is not None
    assert passage[several.location.start : several.location.end] == "Dutch (official) 60%, French 40%, German"
    assert one.answer in {"Dutch", None}


@for_each(
    ("question", "answer"),
    [
        ("What do most people speak in Esk?", "Norn"),
        ("What is the main language of Esk?", "Norn"),
        ("What is the second largest language of Esk?", "Scots"),
        ("Which language is spoken in Esk?", "Scots"),
    ],
)
def test_what_most_are_is_the_largest_of_a_list_with_shares(question: str, answer: str) -> None:
    passage = "Languages of Esk: Norn 65.2%, Scots (of old) 13.7%, Sami 3.8%"
    start = passage.index("Scots")
    start, end = largest_share(question, passage, start, start + len("Scots"))
    assert passage[start:end] == answer
