"""Functions that a process of its own calls: this module imports little, so that the process starts fast."""

import os
import signal
import time

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
