# ruff: noqa: RUF001  characters that look like others are what is tested
"""The alignment of RA-RAG: what the passages don't say becomes IDK."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.alignment import Alignment, AlignmentReason, align, rouge1_precision
from answering.errors import BadParameter
from answering.text import tokenize
from tests.tables import for_each

PASSAGES = [
    "The lighthouse of Sørvik was built in 1874 by Captain Ilse Varn.",
    "It is 42 metres tall and stands on Nepal's cliff; 東京タワーは高い。",
]
WORDS = st.lists(st.sampled_from(["red", "green", "blue", "東京", "हिन्दी", "1874"]), min_size=1, max_size=12)


@for_each(
    ("answer", "score"),
    [
        ("1874", 1.0),
        ("captain ilse varn", 1.0),
        ("Ilse Vern", 0.5),
        ("SØRVIK", 1.0),
        ("Nepal", 1.0),
        ("東京", 1.0),
        ("大阪", 0.0),
        ("1875", 0.0),
        ("built in 1875", 2 / 3),
        ("1874 1874", 0.5),
        ("!", 0.0),
        ("", 0.0),
    ],
)
def test_precision_is_the_share_of_the_answers_words_found(answer: str, score: float) -> None:
    assert rouge1_precision(answer, PASSAGES) == pytest.approx(score)


@given(WORDS, WORDS)
def test_precision_is_that_of_rouge_score(passage: list[str], answer: list[str]) -> None:
    from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415  (NLTK, which every process would import)

    text, passages = " ".join(answer), [" ".join(passage)]
    scorer = RougeScorer(["rouge1"], tokenizer=SimpleNamespace(tokenize=tokenize))
    assert rouge1_precision(text, passages) == pytest.approx(scorer.score(passages[0], text)["rouge1"].precision)


def test_an_aligned_answer_stays() -> None:
    assert align(" Ilse Varn ", PASSAGES) == Alignment("Ilse Varn", 1.0, AlignmentReason.ALIGNED)


def test_an_answer_from_elsewhere_becomes_idk() -> None:
    assert align("Ada Lovelace", PASSAGES) == Alignment(None, 0.0, AlignmentReason.MISALIGNED)


@for_each(
    "answer",
    [
        None,
        "",
        "  ",
        "IDK",
        "idk.",
        "I don't know.",
        "I don’t know",
        "I do not know",
        "Unknown",
        "Not found.",
        "I'm not sure",
        "**IDK**",
        "I don't know the answer.",
        "?",
    ],
)
def test_every_spelling_of_idk_abstains(answer: str | None) -> None:
    assert align(answer, PASSAGES) == Alignment(None, 0.0, AlignmentReason.ABSTAINED)


@for_each("answer", ["A", "The", "I Don't Know How She Does It", "The Unknown Soldier"])
def test_an_answer_that_resembles_an_abstention_is_one_no_more(answer: str) -> None:
    assert align(answer, [answer]).answer == answer


def test_nine_words_of_ten_are_enough() -> None:
    passage = "one two three four five six seven eight nine"
    assert align(f"{passage} ten", [passage]).reason is AlignmentReason.ALIGNED
    assert align(f"{passage} ten", [passage], threshold=0.91).reason is AlignmentReason.MISALIGNED


def test_without_passages_nothing_aligns() -> None:
    assert align("Ilse Varn", []).reason is AlignmentReason.MISALIGNED


@for_each("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_is_a_share(threshold: float) -> None:
    with pytest.raises(BadParameter, match="0 to 1"):
        align("x", ["x"], threshold)


@given(WORDS, WORDS)
def test_what_a_passage_says_aligns_with_it(before: list[str], answer: list[str]) -> None:
    text = " ".join(answer)
    assert align(text, [" ".join(before), text.upper()]).score == 1.0


@given(st.text(), st.lists(st.text(), max_size=3))
def test_a_score_is_a_share(answer: str, passages: list[str]) -> None:
    alignment = align(answer, passages)
    assert 0.0 <= alignment.score <= 1.0
    assert (alignment.answer is None) == (alignment.reason is not AlignmentReason.ALIGNED)


def test_yes_and_no_need_not_stand_in_the_passages() -> None:
    assert align("Yes.", ["The mill is old."]).answer == "Yes."
    assert align("No", []).answer is None
