"""Documents are extracted, chunked and embedded before anything is written. No SQL."""

import asyncio
import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

import numpy as np
import regex
import structlog
from numpy.typing import NDArray

from registry.documents.extraction import PASSAGE_CHARACTERS, ExtractedText, extract_and_chunk
from registry.documents.schemas import DocumentInput, MediaType, require_length
from registry.documents.store import DocumentKey
from registry.platform.errors import InvalidInput, Unavailable
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

# The slowest pages found take 6 s a million characters; slower ones were made to be slow.
EXTRACT_SECONDS = 60.0
# As in a trail of a page: Norway | Economy.
SEPARATOR = " | "
MAX_CHARACTERS = 300
_HEADING = regex.compile(r"^[ ]{0,3}+(#{1,6}+)[ \t]++([^\n]++)$", regex.MULTILINE)


@dataclass(frozen=True, slots=True)
class Draft:
    """A document as it was sent, with the identifiers that it gets if it is new."""

    id: UUID
    source_id: UUID
    external_id: str
    document: DocumentInput
    content_hash: bytes
    """SHA-256 of every field but the external id and the source."""

    @property
    def key(self) -> DocumentKey:
        return self.source_id, self.external_id


@dataclass(frozen=True, slots=True)
class PreparedText:
    """The text of a document, ready to be written; `embeddings` has one row a chunk."""

    text: ExtractedText
    embeddings: NDArray[np.float32]


# A document ready to be written, or why it cannot be.
Preparation: TypeAlias = PreparedText | InvalidInput


def draft_of(document: DocumentInput, source_id: UUID, new_id: UUID) -> Draft:
    """The draft of a document; without an external id it gets `new_id` as one."""
    fields = document.model_dump(mode="json", exclude={"external_id", "source"})
    # So that documents without any keep the hash that they had before there were such fields.
    if not document.stated_values:
        del fields["stated_values"]
    if document.allowed_groups is None:
        del fields["allowed_groups"]
    content_hash = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).digest()
    return Draft(new_id, source_id, document.external_id or str(new_id), document, content_hash)


async def prepare(runtime: Runtime, batch: Sequence[DocumentInput]) -> list[Preparation]:
    """Each document ready to be written, or why it cannot be; raises the embedder's errors."""
    texts = await _extract_all(runtime, batch)
    contents = [[] if isinstance(text, InvalidInput) else [piece.content for piece in text.chunks] for text in texts]
    vectors = await runtime.embedder.embed([content for document in contents for content in document], passages=True)
    per_document = np.split(vectors, np.cumsum([len(document) for document in contents])[:-1])
    return [
        text if isinstance(text, InvalidInput) else PreparedText(text, embeddings)
        for text, embeddings in zip(texts, per_document, strict=True)
    ]


async def _extract_all(runtime: Runtime, batch: Sequence[DocumentInput]) -> list[ExtractedText | InvalidInput]:
    if runtime.processes is None:
        # One after the other, as others need threads too.
        return [await _extract(runtime, document) for document in batch]
    return await asyncio.gather(*(_extract(runtime, document) for document in batch))


async def _extract(runtime: Runtime, document: DocumentInput) -> ExtractedText | InvalidInput:
    arguments = document.content, document.media_type, PASSAGE_CHARACTERS
    try:
        require_length(document.content)
        if runtime.processes is not None:
            return await runtime.processes.run(extract_and_chunk, *arguments, seconds=EXTRACT_SECONDS)
        async with asyncio.timeout(EXTRACT_SECONDS):
            return await asyncio.to_thread(extract_and_chunk, *arguments)
    except ChildProcessError as error:
        raise Unavailable(str(error)) from error
    except InvalidInput as refusal:
        return refusal
    except TimeoutError:
        return InvalidInput(f"No text could be taken from this document in {EXTRACT_SECONDS:g} s.", field="content")
    except Exception:  # whatever a library raises on a damaged page is said of this document alone
        log.exception("extraction_failed", media_type=document.media_type, characters=len(document.content))
        return InvalidInput("No text could be taken from this document; send it as plain text.", field="content")


def headings_above(document: str, media_type: MediaType, starts: Sequence[int]) -> list[str]:
    """The headings above each offset, the outermost first; empty unless the text is Markdown.

    >>> headings_above("# Norway\\n\\n## Economy\\n\\nFish.", MediaType.MARKDOWN, [0, 22])
    ['', 'Norway | Economy']
    """
    trails = list(_trails(document)) if media_type is MediaType.MARKDOWN else []
    ends = [end for end, _ in trails]
    places = (bisect_right(ends, start) for start in starts)
    return [trails[place - 1][1][:MAX_CHARACTERS] if place else "" for place in places]


def _trails(document: str) -> Iterator[tuple[int, str]]:
    """The end of each heading, with it and those that it stands below."""
    above: dict[int, str] = {}
    for match in _HEADING.finditer(document):
        level = len(match[1])
        above = {number: text for number, text in above.items() if number < level}
        above[level] = match[2].strip(" \t#*_")
        yield match.end(), SEPARATOR.join(above.values())
