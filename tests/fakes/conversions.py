"""Functions that a process of its own calls."""

import os
import signal
import time
from collections.abc import Callable, Iterator

from registry.connectors.connector import DocumentOrProblem
from registry.connectors.result_schemas import ConnectorProblem
from registry.platform.errors import FetchFailed


def length(content: bytes) -> str:
    return str(len(content))


def repeat(content: bytes) -> str:
    """A text of as many characters as the content says."""
    return "x" * int(content)


def refuse_at_length(content: bytes) -> str:
    raise FetchFailed("Unlike this: " + "x" * int(content))


def die(_content: bytes) -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def fill_memory(content: bytes) -> str:
    """Take as many bytes as the content says."""
    return str(len(bytearray(int(content))))


def hang(_content: bytes) -> str:
    time.sleep(3600)
    return ""


def refuse(_content: bytes) -> str:
    raise FetchFailed("There is no text in it.")


def process_id() -> int:
    return os.getpid()


def documents_until(count: int, end: Callable[[bytes], str] | None = None) -> Iterator[DocumentOrProblem]:
    """So many documents, or problems of them, then what `end` does."""
    yield from (ConnectorProblem("here", f"Document {number}.") for number in range(count))
    if end is not None:
        end(b"")
