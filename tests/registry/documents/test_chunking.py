"""Chunks stand where they say they stand, whatever the document is made of."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from registry.documents.extraction import BLOCK_CHARACTERS, chunk, extract
from registry.documents.schemas import MediaType
from registry.platform.errors import InvalidInput
from tests.tables import for_each

SCRIPTS = st.sampled_from(
    [
        "a",
        "é",
        "e\u0301",
        "漢字",
        "שלום",
        "مرحبا",
        "😀",
        "👨\u200d👩\u200d👧",
        "\u202e",
        "\U0010ffff",
        "\r\n",
        "\n\n",
        ". ",
        "# ",
        "|",
        "\t",
        "`",
    ]
)
DOCUMENTS = st.one_of(
    st.text(max_size=3000),
    st.lists(SCRIPTS, max_size=1500).map("".join),
    st.lists(st.text(max_size=60), max_size=60).map(" ".join),
)


@given(document=DOCUMENTS, characters=st.integers(1, 200), markdown=st.booleans())
@example(document="a\u0301" * 500, characters=7, markdown=True)
@example(document="\x1c\x1d 漢", characters=1, markdown=False)
def test_every_chunk_stands_at_its_offsets_and_nothing_but_space_is_left_out(
    document: str, characters: int, markdown: bool
) -> None:
    chunks = chunk(document, MediaType.MARKDOWN if markdown else MediaType.TEXT, characters=characters)
    end = 0
    for piece in chunks:
        assert document[piece.start : piece.end] == piece.content
        assert 0 < len(piece.content) <= characters
        assert end <= piece.start
        assert not document[end : piece.start].strip()
        end = piece.end
    assert not document[end:].strip()


@given(st.integers(0, 40), st.sampled_from(["\n\n", "\n", " ", "😀", "a\u0301"]))
def test_documents_longer_than_a_block_are_cut_without_a_gap(shift: int, border: str) -> None:
    document = "b" * shift + border.join(["Wörter und 漢字 und 😀."] * (2 * BLOCK_CHARACTERS // 20))
    chunks = chunk(document, MediaType.TEXT, characters=800)
    assert all(document[piece.start : piece.end] == piece.content for piece in chunks)
    assert "".join("".join(piece.content.split()) for piece in chunks) == "".join(document.split())


@pytest.mark.parametrize(
    ("piece", "media_type"),
    [
        *((piece, MediaType.MARKDOWN) for piece in ("word ", "x", "a\u0301", "\n", "> ", "[a](", "😀", "|a|b|\n")),
        *((piece, MediaType.TEXT) for piece in ("word ", "a\u0301")),
    ],
)
def test_half_a_megabyte_of_anything_is_cut_in_time(piece: str, media_type: MediaType) -> None:
    document = piece * (500_000 // len(piece))
    chunks = chunk(document, media_type, characters=800)
    assert all(document[part.start : part.end] == part.content for part in chunks)
    assert "".join("".join(part.content.split()) for part in chunks) == "".join(document.split())


def test_of_html_the_main_text_is_taken_and_entities_are_read() -> None:
    page = (
        "<html><head><title>T</title><script>alert('x')</script></head><body><nav><a href='/'>Home</a></nav>"
        "<article><h1>Zephyr</h1><p>Announced in Troms&oslash; &amp; Oslo on 4&nbsp;May 2021, said the maker of it.</p>"
        "</article></body></html>"
    )
    text = extract(page, MediaType.HTML)
    assert "Tromsø & Oslo" in text
    assert "alert" not in text
    assert "<" not in text


@for_each(
    "page",
    [
        "<div>" * 200_000 + "deep",
        "<table><tr><td>" * 20_000 + "x",
        "<" * 300_000,
        "<!--" * 100_000,
        "<a " + "x=1 " * 100_000 + ">hi",
        "<ul><li>" * 50_000,
        "&#0;&#1;&#xD800;<p>\x01</p>" * 1000,
        '<?xml version="1.0" encoding="utf-16"?><p>declared wrongly</p>',
        '<!DOCTYPE a [<!ENTITY x "yy"><!ENTITY z "&x;&x;">]><p>&z;</p>',
        "plain words without a tag",
        '<img src="http://192.0.2.1/x"><iframe src="http://192.0.2.1/">words</iframe>',
    ],
)
def test_hostile_pages_give_text_or_are_refused_but_never_crash(page: str) -> None:
    try:
        text = extract(page, MediaType.HTML)
    except InvalidInput:
        text = "refused"
    assert text.strip()
    assert "\x00" not in text
    assert text.encode("utf-8")


@given(st.text(max_size=500))
def test_any_text_taken_for_html_gives_text_that_can_be_stored(page: str) -> None:
    try:
        text = extract(page, MediaType.HTML)
    except InvalidInput:
        return
    assert "\x00" not in text
    text.encode("utf-8")
