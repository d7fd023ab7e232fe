"""An embedder of many languages that runs on this machine: multilingual-e5-small."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from answering.compact.model import ModelThreads
from answering.e5.encoder import PASSAGE, QUESTION, E5Encoder, require_packages
from answering.embedders.embedder import EmbedderProvider, Vectors, normalised

DIMENSION = 384
# What all vectors have in common, by which the cosine of unrelated texts would be 0.76 and relevance count for little
# beside reliability: a mean over nine languages, which `python -m benchmarks.languages.centre` writes.
CENTRE = Path(__file__).with_name("e5_centre.txt")


class E5Embedder:
    """Embeds a text on one thread, several texts on several; loads the model at the first one.

    Raises `ModelRefused` without the extra `languages`.
    """

    name = f"multilingual-e5-small-trimmed:{DIMENSION}"
    dimension = DIMENSION

    def __init__(self) -> None:
        require_packages()
        self._threads = ModelThreads(E5Encoder, name="embedder")
        self._centre = np.loadtxt(CENTRE, dtype=np.float32)

    async def embed(self, texts: Sequence[str], *, passages: bool = False) -> Vectors:
        prefix = PASSAGE if passages else QUESTION
        runs = [self._threads.run(E5Encoder.encode, prefix + text) for text in texts]
        vectors = np.array(await asyncio.gather(*runs), dtype=np.float32).reshape(-1, DIMENSION)
        return normalised(normalised(vectors) - self._centre)

    async def aclose(self) -> None:
        self._threads.close()


E5 = EmbedderProvider(
    name="e5",
    summary="multilingual-e5-small on this machine, for fourteen languages (extra `languages`)",
    make=lambda _settings: E5Embedder(),
)
