"""The default embedder: the static token embeddings of wordllama, offline, thousands of passages a second on a core."""

import asyncio
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from answering.embedders.embedder import EmbedderProvider, Vectors, normalised

DIMENSION = 256
BATCH = 64


class WordLlamaEmbedder:
    """Averages token embeddings of 256 numbers; loads 16 MB from the package at the first text.

    >>> import asyncio
    >>> vectors = asyncio.run(WordLlamaEmbedder().embed(["an old mill", "a mill of old", "red wine"]))
    >>> bool(vectors[0] @ vectors[1] > vectors[0] @ vectors[2])
    True
    """

    name = f"wordllama:l2_supercat:{DIMENSION}"
    dimension = DIMENSION

    def __init__(self) -> None:
        # The padding is state of the tokenizer, which threads must not share.
        self._lock = Lock()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return await asyncio.to_thread(self._embed, list(texts))

    async def aclose(self) -> None:
        return

    def _embed(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.empty((0, DIMENSION), dtype=np.float32)
        # A lone surrogate has no token.
        encodable = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        with self._lock:
            return normalised(self._model.embed(encodable, batch_size=BATCH))

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401  (wordllama has no types)
        import wordllama  # noqa: PLC0415  (takes a second, which not every process needs)

        # The weights lie in the package itself; any other folder would be filled from a hub.
        package = Path(str(wordllama.__file__)).parent
        return wordllama.WordLlama.load(dim=DIMENSION, cache_dir=package, disable_download=True)


WORDLLAMA = EmbedderProvider(
    name="wordllama", summary="static token embeddings, offline", make=lambda _settings: WordLlamaEmbedder()
)
