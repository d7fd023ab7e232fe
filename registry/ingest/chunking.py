"""Passages: pieces of a document cut at its own borders, with the places where they stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from registry.inputs.documents import MediaType

# The splitter's time grows with the square of its text: a megabyte at once takes seconds, in blocks milliseconds.
BLOCK_CHARACTERS = 32_000
BORDERS = ("\n\n", "\n", " ")


@dataclass(frozen=True, slots=True)
class Chunk:
    """`content == document[start:end]`, counted in characters (code points)."""

    start: int
    end: int
    content: str


def chunk(document: str, media_type: MediaType, *, characters: int) -> Sequence[Chunk]:
    """Cut a document into chunks of at most `characters`, at sections, paragraphs, sentences, words, in that order."""
    splitter = MarkdownSplitter(characters) if media_type is MediaType.MARKDOWN else TextSplitter(characters)
    return [
        Chunk(begin + start, begin + start + len(piece), piece)
        for begin, block in _blocks(document)
        for start, piece in splitter.chunk_indices(block)
        if not piece.isspace()
    ]


def _blocks(document: str) -> Iterator[tuple[int, str]]:
    """Long blocks that end where the document allows it, and where each begins."""
    begin = 0
    while begin < len(document):
        end = _block_end(document, begin)
        yield begin, document[begin:end]
        begin = end


def _block_end(document: str, begin: int) -> int:
    latest = begin + BLOCK_CHARACTERS
    if latest >= len(document):
        return len(document)
    for border in BORDERS:
        found = document.rfind(border, begin + BLOCK_CHARACTERS // 2, latest)
        if found != -1:
            return found + len(border)
    return latest
