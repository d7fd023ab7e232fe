"""The text of a document, cut into chunks that are signed: work for the processor alone, in a thread or a process."""

from collections.abc import Sequence
from dataclasses import dataclass

from registry.documents.chunking import Chunk, chunk
from registry.documents.extraction import extract
from registry.documents.minhash import signature
from registry.documents.schemas import MediaType


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """The text of a document and its chunks, each with its MinHash signature."""

    content: str
    chunks: Sequence[Chunk]
    signatures: Sequence[bytes | None]


def extract_and_chunk(content: str, media_type: MediaType, characters: int) -> ExtractedText:
    """The text in chunks of at most so many characters; raises `InvalidInput` if there is none."""
    text = extract(content, media_type)
    chunks = chunk(text, media_type, characters=characters)
    return ExtractedText(text, chunks, [signature(piece.content) for piece in chunks])
