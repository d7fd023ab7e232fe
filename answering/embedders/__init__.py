"""Embedders: one port, its members."""

from answering.embedders.embedder import Embedder, Vectors
from answering.embedders.openai import OpenAIEmbedder
from answering.embedders.wordllama import WordLlamaEmbedder

__all__ = ["Embedder", "OpenAIEmbedder", "Vectors", "WordLlamaEmbedder"]
