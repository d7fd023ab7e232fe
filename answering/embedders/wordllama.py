"""The default embedder: wordllama's static token embeddings, offline, thousands of passages a second on one core."""

import asyncio
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from answering.embedders.embedder import Vectors, normalised

DIMENSION = 256
BATCH = 64


class WordLlamaEmbedder:
    """Averages 256-number token embeddings; loads its 16 MB from the package at the first text."""

    name = f"wordllama:l2_supercat:{DIMENSION}"
    dimension = DIMENSION

    def __init__(self) -> None:
        # The tokenizer's padding is state: two threads at once would see each other's.
        self._lock = Lock()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return await asyncio.to_thread(self._embed, list(texts))

    async def aclose(self) -> None:
        return

    def _embed(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.empty((0, DIMENSION), dtype=np.float32)
        # Half a surrogate pair cannot be tokenised, and no passage holds one.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        with self._lock:
            return normalised(self._model.embed(clean, batch_size=BATCH))

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401  (wordllama has no types)
        import wordllama  # noqa: PLC0415  (takes a second, which a process that embeds nothing need not wait)

        # The weights lie in the package itself; any other folder would be filled from a hub.
        package = Path(str(wordllama.__file__)).parent
        return wordllama.WordLlama.load(dim=DIMENSION, cache_dir=package, disable_download=True)
