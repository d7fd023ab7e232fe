"""Embedders: one port, its members."""

from answering.embedders.openai import OpenAIEmbedder
from answering.embedders.port import Embedder, Vectors
from answering.embedders.wordllama import WordLlamaEmbedder

__all__ = ["Embedder", "OpenAIEmbedder", "Vectors", "WordLlamaEmbedder"]
