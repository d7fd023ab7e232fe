"""The protocol of an embedder: it maps texts to vectors whose cosine is the similarity of their meanings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import HttpUrl, SecretStr

from answering.providers import Provider

Vector: TypeAlias = NDArray[np.float32]
"""The embedding of one text, shape (dimension,)."""
Vectors: TypeAlias = NDArray[np.float32]
"""Those of several, shape (texts, dimension)."""


class Embedder(Protocol):
    """An embedder.

    >>> import asyncio
    >>> from answering.embedders import WordLlamaEmbedder
    >>> embedder: Embedder = WordLlamaEmbedder()
    >>> asyncio.run(embedder.embed(["a red barn", "a red shed"])).shape == (2, embedder.dimension)
    True
    """

    @property
    def name(self) -> str:
        """A stable identity, stored with the embeddings; vectors of different names cannot be compared."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    async def embed(self, texts: Sequence[str], *, passages: bool = False) -> Vectors:
        """Vectors of shape (n, dimension), each of length 1, even for an empty text. Raises `ModelError`.

        The texts are questions, or passages that questions are to find: some models embed the two differently.
        """
        ...

    async def aclose(self) -> None:
        """Closes connections; the embedder is not used afterwards."""
        ...


class EmbedderSettings(Protocol):
    @property
    def embedding_url(self) -> HttpUrl | None: ...

    @property
    def embedding_model(self) -> str | None: ...

    @property
    def embedding_api_key(self) -> SecretStr | None: ...

    @property
    def embedding_dimension(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderProvider(Provider[EmbedderSettings, Embedder]):
    """A kind of embedder."""


def normalised(vectors: Vectors) -> Vectors:
    """The vectors at length 1; one without a direction becomes the first axis."""
    undirected = ~np.isfinite(vectors).all(axis=1) | (np.linalg.norm(vectors, axis=1) == 0)
    vectors = np.where(undirected[:, None], np.eye(1, vectors.shape[1], dtype=np.float32), vectors)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
