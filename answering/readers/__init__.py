"""Readers: one port, its members, and the limits around them."""

from answering.readers.limited import LimitedReader
from answering.readers.llamacpp import LlamaCppReader
from answering.readers.openai import OpenAIReader
from answering.readers.port import Reader, Reading, Usage
from answering.readers.scripted import ScriptedReader

__all__ = ["LimitedReader", "LlamaCppReader", "OpenAIReader", "Reader", "Reading", "ScriptedReader", "Usage"]
