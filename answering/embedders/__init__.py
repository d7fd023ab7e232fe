"""Embedders: the members of the family."""

from answering.embedders.embedder import Embedder, EmbedderProvider, Vectors
from answering.embedders.openai import OPENAI, OpenAIEmbedder
from answering.embedders.wordllama import WORDLLAMA, WordLlamaEmbedder

EMBEDDERS: list[EmbedderProvider] = [WORDLLAMA, OPENAI]

__all__ = ["EMBEDDERS", "Embedder", "OpenAIEmbedder", "Vectors", "WordLlamaEmbedder"]
