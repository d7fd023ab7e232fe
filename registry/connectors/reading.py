"""Content of others is read in processes, with limits of memory, time and output: a file or page that ends its process,
fills it or holds it costs itself and nothing else, and the next one is read by the same process or by one in its place.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from pydantic_core import to_json

from registry.connectors.connector import Content, DocumentOrProblem, Location
from registry.connectors.result_schemas import ConnectorProblem
from registry.platform.concurrency import MAX_MEMORY, Processes, Run
from registry.platform.errors import FetchFailed, Unavailable, Unreadable

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


Result = TypeVar("Result")
Documents: TypeAlias = Callable[[], Iterator[DocumentOrProblem]]
# Of one call, which reads a page, or a batch of documents; what takes longer was made to be slow.
MAX_SECONDS = 60.0
# Some libraries repeat what they could not read.
MAX_REASON_CHARACTERS = 1_000


async def read_with(processes: Processes | None, function: Callable[..., Result], *arguments: object) -> Result:
    """Run a function of a module on the content of others; without processes in a thread.

    Raises `Unreadable` where that takes too long or too much memory, or ends the process, and as the function does.
    """
    if processes is None:
        return await _in_thread(function, *arguments)
    return await _limited(processes.run, function, *arguments)


async def batches_of(processes: Processes | None, documents: Documents) -> AsyncIterator[Taken]:
    """The documents of a location, of which a process reads no other until its end; raises as `read_with` does."""
    more = True
    if processes is None:
        iterator = documents()
        while more:
            batch = await _in_thread(taken, iterator)
            yield batch
            _, _, more = batch
        return
    async with processes.held() as run:
        begun: Documents | None = documents
        while more:
            batch = await _limited(run, _next_batch, begun)
            yield batch
            begun = None
            _, _, more = batch


async def _in_thread(function: Callable[..., Result], *arguments: object) -> Result:
    try:
        async with asyncio.timeout(MAX_SECONDS):
            return await asyncio.to_thread(function, *arguments)
    except TimeoutError as error:
        raise _too_slow() from error


async def _limited(run: Run, function: Callable[..., Result], *arguments: object) -> Result:
    try:
        return await run(_with_short_reasons, function, *arguments, seconds=MAX_SECONDS)
    except TimeoutError as error:
        raise _too_slow() from error
    except BrokenProcessPool as error:
        raise Unreadable(f"It needs more than {MAX_MEMORY >> 30} GiB of memory to read, or is damaged.") from error
    except ChildProcessError as error:
        raise Unavailable(str(error)) from error


def _too_slow() -> Unreadable:
    return Unreadable(f"It takes more than {MAX_SECONDS:g} s to read.")


# What follows runs in the process.
_reading: Iterator[DocumentOrProblem] | None = None


def _next_batch(documents: Documents | None) -> Taken:
    """The next documents of the location that is read, or the first ones of another."""
    global _reading  # noqa: PLW0603  (one location after the other is read in this process)
    if documents is not None:
        _reading = documents()
    if _reading is None:
        raise FetchFailed("The process that read it ended, so that the rest is read in the next run.")
    return taken(_reading)


def _with_short_reasons(function: Callable[..., Result], *arguments: object) -> Result:
    try:
        return function(*arguments)
    except FetchFailed as error:
        raise type(error)(str(error)[:MAX_REASON_CHARACTERS]) from None
