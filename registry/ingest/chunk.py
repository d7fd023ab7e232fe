"""Passages: pieces of a document cut at its own borders, with the places where they stand."""

from collections.abc import Sequence
from dataclasses import dataclass

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from registry.documents import MediaType


@dataclass(frozen=True, slots=True)
class Chunk:
    """`content == document[start:end]`, counted in characters (code points)."""

    start: int
    end: int
    content: str


def chunk(document: str, media_type: MediaType, *, characters: int) -> Sequence[Chunk]:
    """Cut a document into chunks of at most `characters`, at sections, paragraphs, sentences, words, in that order."""
    splitter = MarkdownSplitter(characters) if media_type is MediaType.MARKDOWN else TextSplitter(characters)
    return [Chunk(start, start + len(piece), piece) for start, piece in splitter.chunk_indices(document)]
