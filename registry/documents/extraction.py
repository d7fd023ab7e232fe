"""The text of a document, its chunks (cut at sections, paragraphs and sentences), and their MinHash signatures.

The share of places in which two signatures agree estimates the Jaccard similarity of the word 4-grams of the passages
(Broder 1997, doi:10.1109/SEQUEN.1997.666900).
"""

import logging
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import structlog
from lxml import etree, html
from semantic_text_splitter import MarkdownSplitter, TextSplitter

from registry.documents.schemas import MediaType
from registry.platform.errors import InvalidInput

PLACES: Final = 32
SIZE: Final = 4 * PLACES
"""Bytes of a signature: one little-endian uint32 a place."""
NEAR_DUPLICATE: Final = 0.7
"""Share of equal places from which two passages are near-duplicates."""
_NGRAM: Final = 4
# Independent texts of one sentence are often equal, so that their similarity proves nothing.
_MIN_WORDS: Final = 20
_WORD: Final = re.compile(r"\w+")
_RANDOM: Final = np.random.default_rng(1997)
_FACTORS: Final = _RANDOM.integers(0, 2**63, PLACES, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
_OFFSETS: Final = _RANDOM.integers(0, 2**63, PLACES, dtype=np.uint64)


def signature(content: str) -> bytes | None:
    """The signature of a passage, whatever its case and punctuation; None for fewer than 20 words."""
    words = _WORD.findall(content.casefold())
    if len(words) < _MIN_WORDS:
        return None
    ngrams = {" ".join(words[at : at + _NGRAM]) for at in range(len(words) - _NGRAM + 1)}
    hashes = np.fromiter((zlib.crc32(ngram.encode()) for ngram in ngrams), dtype=np.uint64, count=len(ngrams))
    # Multiply-shift hashing (Dietzfelbinger et al. 1997): the upper half of the product is nearly uniform.
    mixed = (hashes[:, None] * _FACTORS + _OFFSETS) >> np.uint64(32)
    return bytes(mixed.min(axis=0).astype("<u4").data)


# It logs a page without text as an error; the caller gets `InvalidInput`.
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)

log = structlog.get_logger(__name__)

# No page is longer; parsing what is could exhaust the memory.
MAX_HTML_CHARACTERS = 4_000_000
INVISIBLE = ("script", "style", "noscript", "template", "head")
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


def extract(content: str, media_type: MediaType) -> str:
    """The text of the content; raises `InvalidInput` if there is none."""
    extracted = _from_html(content) if media_type is MediaType.HTML else content
    if not extracted.strip():
        raise InvalidInput("There is no text in this document.", field="content")
    return extracted


def _from_html(content: str) -> str:
    if len(content) > MAX_HTML_CHARACTERS:
        raise InvalidInput(f"HTML is limited to {MAX_HTML_CHARACTERS} characters.", field="content")
    return _main_text(content) or _all_text(content)


def _main_text(content: str) -> str | None:
    import trafilatura  # noqa: PLC0415  (takes 0.2 s, which most commands need not wait for)

    try:
        text: str | None = trafilatura.extract(content, include_comments=False, include_tables=True, favor_recall=True)
    except MemoryError:
        raise
    except Exception:  # trafilatura's heuristics raise all kinds of errors on pages they do not expect
        log.warning("main_text_not_found", characters=len(content), exc_info=True)
        return None
    return text


def _all_text(content: str) -> str:
    """All visible text, for pages in which trafilatura finds no main text."""
    try:
        # lxml refuses a str that declares an encoding; it limits the depth of the tree itself (to 256).
        tree = html.document_fromstring(content.encode("utf-8"), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError):
        return ""
    for invisible in list(tree.iter(*INVISIBLE)):
        invisible.drop_tree()
    lines = (" ".join(piece.split()) for piece in tree.itertext())
    return "\n".join(line for line in lines if line)


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
