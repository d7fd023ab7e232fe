"""Embedders: the members of the family."""

from enum import StrEnum

from answering.embedders.embedder import Embedder, EmbedderProvider, Vectors
from answering.embedders.openai import OPENAI, OpenAIEmbedder
from answering.embedders.wordllama import WORDLLAMA, WordLlamaEmbedder

EMBEDDERS: list[EmbedderProvider] = [WORDLLAMA, OPENAI]


class EmbedderKind(StrEnum):
    """Names of the embedders."""

    WORDLLAMA = "wordllama"
    OPENAI = "openai"


__all__ = ["EMBEDDERS", "Embedder", "EmbedderKind", "OpenAIEmbedder", "Vectors", "WordLlamaEmbedder"]
