"""The default embedder: the static token embeddings of wordllama, offline, thousands of passages a second on a core."""

import asyncio
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from answering.embedders.embedder import EmbedderProvider, Vectors, normalised

DIMENSION = 256
# Texts that are tokenized together, on all cores.
BATCH = 1024


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
        # Two threads must not load it.
        self._lock = Lock()

    async def embed(self, texts: Sequence[str], *, passages: bool = False) -> Vectors:  # noqa: ARG002
        return await asyncio.to_thread(self._embed, list(texts))

    async def aclose(self) -> None:
        return

    def _embed(self, texts: list[str]) -> Vectors:
        # A lone surrogate has no token.
        encodable = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        with self._lock:
            model = self._model
        batches = [self._means(model, encodable[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
        return np.concatenate([np.empty((0, DIMENSION), dtype=np.float32), *batches])

    def _means(self, model: Any, texts: list[str]) -> Vectors:  # noqa: ANN401  (wordllama has no types)
        """The means of the texts' token embeddings, at length 1.

        As a product with a sparse matrix, in a quarter of the time of wordllama's own, which pads all texts to the
        longest: 40 and 170 microseconds a passage of 360 tokens.
        """
        from scipy.sparse import csr_array  # noqa: PLC0415  (with the model)

        tokens = [encoding.ids for encoding in model.tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
        ends = np.cumsum([0, *map(len, tokens)])
        # Tokens that were added to the vocabulary have no embedding of their own.
        columns = np.minimum(np.fromiter(chain.from_iterable(tokens), np.int32, ends[-1]), len(model.embedding) - 1)
        counts = csr_array((np.ones(ends[-1], np.float32), columns, ends), shape=(len(texts), len(model.embedding)))
        return normalised(counts @ model.embedding / np.maximum(np.diff(ends), 1)[:, None])

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401  (wordllama has no types)
        import wordllama  # noqa: PLC0415  (takes a second, which not every process needs)

        # The weights lie in the package itself; any other folder would be filled from a hub.
        package = Path(str(wordllama.__file__)).parent
        model = wordllama.WordLlama.load(dim=DIMENSION, cache_dir=package, disable_download=True)
        model.tokenizer.no_padding()
        # It would keep every text of up to 256 bytes whole, 7 KB each and 120 MB in all; without it is no slower.
        model.tokenizer.model._resize_cache(0)  # noqa: SLF001
        return model


WORDLLAMA = EmbedderProvider(
    name="wordllama", summary="static token embeddings, offline", make=lambda _settings: WordLlamaEmbedder()
)
