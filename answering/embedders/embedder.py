"""What the rest of Credence knows of an embedder."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into points whose cosine tells how near their meanings are."""

    @property
    def name(self) -> str:
        """A stable identity, stored with the embeddings; points of different names cannot be compared."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers a text."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension), every row of length 1, also that of a text without words. Raises ModelError."""
        ...

    async def aclose(self) -> None:
        """Lets go of connections and models."""
        ...


def normalised(vectors: Vectors) -> Vectors:
    """The vectors at length 1; one that has no direction becomes the first axis, far from nothing in particular."""
    lost = ~np.isfinite(vectors).all(axis=1) | (np.linalg.norm(vectors, axis=1) == 0)
    vectors = np.where(lost[:, None], np.eye(1, vectors.shape[1], dtype=np.float32), vectors)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
