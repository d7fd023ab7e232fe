"""Content of others is read in processes, with limits of memory, time and output: a file or page that ends its process,
fills it or holds it costs itself and nothing else, and the next one is read by the same process or by one in its place.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import TypeAlias, TypeVar

from registry.connectors.batches import Taken, taken
from registry.connectors.connector import DocumentOrProblem
from registry.platform.concurrency import MAX_MEMORY, Processes, Run
from registry.platform.errors import FetchFailed, Unavailable, Unreadable

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
