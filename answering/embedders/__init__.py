"""Embedders: the members of the family."""

from enum import StrEnum

from answering.embedders.e5 import E5
from answering.embedders.embedder import Embedder, EmbedderProvider, Vector, Vectors
from answering.embedders.openai import OPENAI, OpenAIEmbedder
from answering.embedders.wordllama import WORDLLAMA, WordLlamaEmbedder

EMBEDDERS: list[EmbedderProvider] = [WORDLLAMA, E5, OPENAI]


class EmbedderKind(StrEnum):
    """Names of the embedders."""

    WORDLLAMA = "wordllama"
    E5 = "e5"
    OPENAI = "openai"


__all__ = ["EMBEDDERS", "Embedder", "EmbedderKind", "OpenAIEmbedder", "Vector", "Vectors", "WordLlamaEmbedder"]
