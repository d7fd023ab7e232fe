"""Documents of connectors in batches, bounded in number and in memory."""

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pydantic_core import to_json

from registry.connectors.connector import Content, DocumentOrProblem, Location
from registry.connectors.result_schemas import ConnectorProblem

BATCH_DOCUMENTS = 128
# Of memory, up to the last document of a batch, which takes some 20 MB at most.
BATCH_BYTES = 8 * 2**20
# What an object of JSON takes in memory for each of its characters.
BYTES_A_CHARACTER = 16
# What was read is written when no more comes for so long.
IDLE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents of a location and the bytes that they take; the last batch of it has its content."""

    location: Location
    documents: list[DocumentOrProblem]
    held: int
    content: Content | None = None


Taken: TypeAlias = tuple[list[DocumentOrProblem], int, bool]
"""Documents, the bytes that they take, and whether there may be more."""
BatchQueue: TypeAlias = "asyncio.Queue[Batch | None]"


def taken(documents: Iterator[DocumentOrProblem]) -> Taken:
    """The next of the documents, as many as a batch takes."""
    batch: list[DocumentOrProblem] = []
    held = 0
    for document in documents:
        batch.append(document)
        held += _bytes_of(document)
        if len(batch) == BATCH_DOCUMENTS or held >= BATCH_BYTES:
            return batch, held, True
    return batch, held, False


def _bytes_of(document: DocumentOrProblem) -> int:
    if isinstance(document, ConnectorProblem):
        return sys.getsizeof(document.error)
    return sys.getsizeof(document.content) + BYTES_A_CHARACTER * len(to_json(document.attributes))


async def collected(batches: BatchQueue) -> tuple[list[Batch], bool]:
    """Group items to be written together: a batch, or as many as arrive without a break. The flag marks the last."""
    together: list[Batch] = []
    documents, held = 0, 0
    while documents < BATCH_DOCUMENTS and held < BATCH_BYTES:
        try:
            async with asyncio.timeout(IDLE_SECONDS if together else None):
                batch = await batches.get()
        except TimeoutError:
            break
        if batch is None:
            return together, True
        together.append(batch)
        documents += max(1, len(batch.documents))
        held += batch.held
    return together, False
