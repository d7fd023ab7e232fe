"""Chunking: a document is cut at sections, paragraphs and sentences into chunks of bounded length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from registry.documents.schemas import MediaType

# The splitter takes quadratic time: seconds for a megabyte at once, milliseconds in blocks.
BLOCK_CHARACTERS = 32_000
BORDERS = ("\n\n", "\n", " ")
# The longest passage; all figures of search and reading were measured with it.
PASSAGE_CHARACTERS = 800


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk: `content == document[start:end]`, in code points."""

    start: int
    end: int
    content: str


def chunk(document: str, media_type: MediaType, *, characters: int) -> Sequence[Chunk]:
    """Chunks of at most `characters`, cut at the highest possible level: section, paragraph, sentence, then word."""
    splitter = MarkdownSplitter(characters) if media_type is MediaType.MARKDOWN else TextSplitter(characters)
    return [
        Chunk(begin + start, begin + start + len(piece), piece)
        for begin, block in _blocks(document)
        for start, piece in splitter.chunk_indices(block)
        if not piece.isspace()
    ]


def _blocks(document: str) -> Iterator[tuple[int, str]]:
    """Blocks of at most `BLOCK_CHARACTERS` with their offsets, cut at paragraphs, lines or words."""
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
        index = document.rfind(border, begin + BLOCK_CHARACTERS // 2, latest)
        if index != -1:
            return index + len(border)
    return latest
