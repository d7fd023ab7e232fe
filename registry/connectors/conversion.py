"""Files of others are read in a process of their own, with limits of memory, time and output: one that ends the process
or fills it costs its document and nothing else.
"""

import atexit
import multiprocessing
import resource
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

from estimator.errors import installing
from registry.documents.schemas import MAX_DOCUMENT_CHARACTERS
from registry.platform.errors import FetchFailed, Unreadable

if TYPE_CHECKING:
    from pebble import ProcessPool

MAX_SECONDS = 60.0
MAX_MEMORY = 2 * 2**30
# Some libraries repeat what they could not read.
MAX_REASON_CHARACTERS = 1_000
INSTALL = installing("documents")


def converted(read: Callable[[bytes], str], content: bytes) -> str:
    """Run a top-level function on the content of a file, in another process.

    Raises `Unreadable` where that takes too long or too much memory, where it ends the process, and as `read` does.
    """
    try:
        from pebble import ProcessExpired  # noqa: PLC0415  (in an extra)
    except ImportError as error:
        raise FetchFailed(f"PDF and Office files need pebble: {INSTALL}") from error
    try:
        text: str = _pool().schedule(partial(_bounded, read), (content,), timeout=MAX_SECONDS).result()
    except TimeoutError as error:
        raise Unreadable(f"The file takes more than {MAX_SECONDS:g} s to read.") from error
    except (ProcessExpired, MemoryError) as error:
        raise Unreadable(
            f"The file needs more than {MAX_MEMORY >> 30} GiB of memory to read, or is damaged."
        ) from error
    return text


def _bounded(read: Callable[[bytes], str], content: bytes) -> str:
    """Run in the other process, so that too large a result never reaches the memory of this one."""
    try:
        text = read(content)
    except FetchFailed as error:
        raise type(error)(str(error)[:MAX_REASON_CHARACTERS]) from None
    if len(text) > MAX_DOCUMENT_CHARACTERS:
        raise Unreadable(f"The file has more than {MAX_DOCUMENT_CHARACTERS:,} characters of text.")
    return text


@cache
def _pool() -> "ProcessPool":
    """One process at a time, which is started anew after it died."""
    from pebble import ProcessPool  # noqa: PLC0415

    # A fork would hold the threads' locks of this process.
    pool = ProcessPool(1, initializer=_limit_memory, context=multiprocessing.get_context("spawn"))
    atexit.register(pool.stop)
    return pool


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
