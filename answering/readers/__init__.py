"""Readers: one port, its members, and the limits around them."""

from answering.readers.compact import CompactReader
from answering.readers.limited import LimitedReader
from answering.readers.llamacpp import LlamaCppReader
from answering.readers.openai import OpenAIReader
from answering.readers.port import Location, Reader, Reading, Usage
from answering.readers.screened import ScreenedReader
from answering.readers.scripted import ScriptedReader

__all__ = [
    "CompactReader",
    "LimitedReader",
    "LlamaCppReader",
    "Location",
    "OpenAIReader",
    "Reader",
    "Reading",
    "ScreenedReader",
    "ScriptedReader",
    "Usage",
]
