"""Readers: one port, its members, and the limits around them."""

from answering.readers.compact import CompactReader
from answering.readers.llamacpp import LlamaCppReader
from answering.readers.openai import OpenAIReader
from answering.readers.reader import Location, Reader, Reading, Usage
from answering.readers.scripted import ScriptedReader
from answering.readers.wrappers import LimitedReader, PrefilteredReader

__all__ = [
    "CompactReader",
    "LimitedReader",
    "LlamaCppReader",
    "Location",
    "OpenAIReader",
    "PrefilteredReader",
    "Reader",
    "Reading",
    "ScriptedReader",
    "Usage",
]
