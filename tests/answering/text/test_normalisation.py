# ruff: noqa: RUF001  characters that look like others are what is tested
"""The folding, the tokeniser and SQuAD's normalisation, on every script."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.text import compose, fold, squad_normalise, tokenize
from tests.tables import for_each

PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=126))


def reference_normalise(text: str) -> str:
    """What SQuAD does to ASCII, step by step."""
    without_punctuation = "".join(c for c in text.lower() if c not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", without_punctuation).split())


@for_each(
    ("text", "tokens"),
    [
        ("The quick, brown fox.", ["the", "quick", "brown", "fox"]),
        ("Nepal's capital", ["nepal", "s", "capital"]),
        ("Zoë & Straße", ["zoë", "strasse"]),
        ("Zoe\u0308", ["zoë"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("Владимир Путин", ["владимир", "путин"]),
        ("السلام عليكم", ["السلام", "عليكم"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("서울은", ["서", "울", "은"]),
        ("กรุง", ["ก", "รุ", "ง"]),
        ("1,000 and 1000", ["1000", "and", "1000"]),
        ("3.5 million", ["3.5", "million"]),
        ("in 1874.", ["in", "1874"]),
        ("1,2 and 3,1874", ["1", "2", "and", "3", "1874"]),
        ("42km, 42 km", ["42", "km", "42", "km"]),
        ("١٩٩٤", ["1994"]),
        ("CO₂", ["co2"]),
        ("", []),
        ("?! ... 🙂", []),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@for_each(
    ("text", "composed"),
    [
        ("2½", "2 1⁄2"),
        ("10²", "10^2"),
        ("10⁻⁶", "10^-6"),
        ("5 km²", "5 km2"),
        ("1914–18", "1914-18"),
        ("−5", "-5"),
        ("ﬁn", "fin"),
        ("a\u200bb", "ab"),
        ("a\x00b", "a b"),
        ("a\ud800b", "ab"),
        ("٣٫٥", "3.5"),
    ],
)
def test_composition_keeps_what_numbers_mean(text: str, composed: str) -> None:
    assert compose(text) == composed


@for_each(
    ("text", "normalised"),
    [
        ("The  Eiffel Tower!", "eiffel tower"),
        ("An apple, a pear", "apple pear"),
        ("anthem", "anthem"),
        ("L’Étranger", "létranger"),
        ("«Война и мир»", "война и мир"),
        ("「東京」", "東京"),
        ("¿Qué?", "qué"),
    ],
)
def test_normalisation(text: str, normalised: str) -> None:
    assert squad_normalise(text) == normalised


@given(PRINTABLE)
def test_normalisation_is_squads_own_on_ascii(text: str) -> None:
    assert squad_normalise(text) == reference_normalise(text)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_tokens_do_not_depend_on_case(text: str) -> None:
    folded = fold(text)
    assert tokenize(folded) == tokenize(text)
    assert all(token and not token.isspace() for token in tokenize(text))


@given(st.text(st.characters()))
def test_folded_text_can_be_stored(text: str) -> None:
    folded = fold(text)
    assert "\x00" not in folded
    folded.encode()


@pytest.mark.parametrize(
    ("part", "tokens", "normalised"),
    [("1,", 200_000, "1"), ("1.1", 1, "11"), ("a\u0301", 1, "á"), ("1,000", 200_001, "1000")],
)
def test_time_is_linear(part: str, tokens: int, normalised: str) -> None:
    """Quadratic time would exceed the limit of every test."""
    text = part * 200_000
    assert len(tokenize(text)) == tokens
    assert squad_normalise(text) == normalised * 200_000
