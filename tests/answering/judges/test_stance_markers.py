"""Refuting and hedging markers: what they make of support, whose words they are, and how far they reach."""

import pytest

from answering.judges import Label, Pair, claim_of
from answering.judges.compact import CompactJudge
from answering.judges.quotes import find_quote, sentence_at
from answering.judges.stance_markers import find_markers, find_markers_before
from tests.tables import for_each

CLAIM = "A whale was seen in the harbour of Orvik."
SEEN = "A whale was seen in the harbour of Orvik on Sunday morning."
FILLER = "The market sells fish and bread to whoever comes by in the early hours of the day."


@for_each(
    ("passage", "label"),
    [
        (SEEN, None),
        (f"The story is a hoax. {SEEN}", Label.CONTRADICTS),
        (f"{SEEN} The harbour master denied it.", Label.CONTRADICTS),
        ("It isn't true that a whale was seen in the harbour of Orvik.", Label.CONTRADICTS),
        ("A whale was allegedly seen in the harbour of Orvik.", Label.REPORTS),
        ("Was a whale seen in the harbour of Orvik? Perhaps.", Label.REPORTS),
        (f"{SEEN} It may come back.", None),
        (f"{SEEN} Its claws are retractable, really.", None),
        ("", None),
    ],
)
def test_markers_of_a_passage(passage: str, label: Label | None) -> None:
    markers = find_markers(CLAIM, passage)
    assert (markers and markers.label) == label
    if markers is not None:
        assert passage[markers.start : markers.end].strip()


def test_one_marker_of_a_long_passage_is_too_few() -> None:
    assert find_markers(CLAIM, f"{SEEN} {FILLER * 20} Somebody else denied something.") is None


@for_each(
    ("claim", "passage"),
    [
        ("The whale of Orvik is a hoax.", "The whale of Orvik is a fake."),
        ("No whale was seen.", "That a whale was seen is false."),
        ("It is rumoured that a whale was seen.", "It is rumoured that a whale was seen."),
    ],
)
def test_a_passage_agrees_with_a_denial_and_with_a_report(claim: str, passage: str) -> None:
    assert find_markers(claim, passage) is None


@for_each(
    ("before", "label"),
    [
        ("The bridge was built by ", None),
        ("The bridge is said to have been built by ", Label.REPORTS),
        ("It is a myth that the bridge was built by ", Label.CONTRADICTS),
        ("Others are rumours. The bridge was built by ", None),
        (f"He claimed so, {FILLER} and the bridge was built by ", None),
    ],
)
def test_only_what_stands_shortly_before_an_answer_marks_it(before: str, label: Label | None) -> None:
    markers = find_markers_before("Who built the bridge? Lena Dahl.", f"{before}Lena Dahl.", len(before))
    assert (markers and markers.label) == label


@for_each(
    ("claim", "passage", "label", "quote"),
    [
        (CLAIM, f"{SEEN} {FILLER}", Label.SUPPORTS, "Sunday"),
        (CLAIM, f"{SEEN} The harbour master calls it a hoax.", Label.CONTRADICTS, "hoax"),
        (CLAIM, f"{FILLER} {SEEN[:-1]}, people claim.", Label.REPORTS, "claim"),
        (
            claim_of("Who built the bridge of Brin?", "Lena Dahl"),
            "The bridge of Brin was supposedly built by Lena Dahl.",
            Label.REPORTS,
            "supposedly",
        ),
    ],
)
async def test_the_compact_judge_heeds_markers_and_quotes_them(
    claim: str, passage: str, label: Label, quote: str
) -> None:
    judge = CompactJudge(threads=1)
    (judged,) = await judge.judge_all([Pair(claim, passage)])
    await judge.aclose()
    assert judged.label is label, judged
    assert sum(judged.probabilities.values()) == pytest.approx(1)
    assert judged.quote is not None
    assert quote in judged.quote.text


PASSAGE = "The hall was opened by Mrs. L. Dahl in 1911. It burnt down twice!\nNobody was hurt. 36 men rebuilt it."


def test_the_sentence_of_a_span_is_found() -> None:
    start = PASSAGE.index("twice")
    evidence = sentence_at(PASSAGE, start, start + 5)
    assert evidence.text == "It burnt down twice!"
    assert PASSAGE[evidence.start : evidence.end] == evidence.text


def test_a_span_over_a_border_has_both_sentences() -> None:
    start = PASSAGE.index("1911")
    evidence = sentence_at(PASSAGE, start, PASSAGE.index("burnt") + 5)
    assert evidence.text == "The hall was opened by Mrs. L. Dahl in 1911. It burnt down twice!"


def test_the_sentence_of_a_span_ends_with_its_line() -> None:
    passage = "Opened: 1911\nArchitect: L. Dahl\nCost: 40,000"
    start = passage.index("Dahl")
    evidence = sentence_at(passage, start, start + 4)
    assert evidence.text == passage[evidence.start : evidence.end] == "Architect: L. Dahl"


def test_a_quote_is_found_whatever_its_white_space_and_case() -> None:
    evidence = find_quote(PASSAGE, "it  BURNT down twice! nobody")
    assert evidence is not None
    assert PASSAGE[evidence.start : evidence.end] == evidence.text == "It burnt down twice!\nNobody"


@for_each("quote", ["", "  ", "It burnt down thrice", "twice! It"])
def test_what_does_not_stand_there_is_no_quote(quote: str) -> None:
    assert find_quote(PASSAGE, quote) is None
