"""Readers: the members of the family, and wrappers with limits and a filter."""

from enum import StrEnum

from answering.questions.answer_type import asks_for_several
from answering.readers.compact import COMPACT, CompactReader
from answering.readers.llamacpp import GGUF
from answering.readers.multilingual import MULTILINGUAL
from answering.readers.none import NONE
from answering.readers.openai import OPENAI, ChatReader
from answering.readers.reader import Location, Reader, ReaderProvider, Reading
from answering.readers.wrappers import LimitedReader, PrefilteredReader

READERS: list[ReaderProvider] = [COMPACT, MULTILINGUAL, OPENAI, GGUF, NONE]


class ReaderKind(StrEnum):
    """Names of the readers."""

    COMPACT = "compact"
    MULTILINGUAL = "multilingual"
    OPENAI = "openai"
    GGUF = "gguf"
    NONE = "none"


__all__ = [
    "NONE",
    "READERS",
    "ChatReader",
    "CompactReader",
    "LimitedReader",
    "Location",
    "PrefilteredReader",
    "Reader",
    "ReaderKind",
    "Reading",
    "asks_for_several",
]
