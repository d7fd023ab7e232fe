"""An embedder of many languages that runs on this machine."""

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from onnxruntime import InferenceSession, SessionOptions

from answering.compact.model import ModelThreads
from answering.embedders.e5.graph import INPUT, encoder_graph
from answering.embedders.e5.tokenizer import BEGIN, END, E5Tokenizer
from answering.embedders.e5.weights import PACKAGE, E5Weights
from answering.embedders.embedder import EmbedderProvider, Vectors, normalised
from answering.errors import ModelRefused
from estimator.errors import installing

DIMENSION = 384
# The model was trained with these before a text.
QUESTION, PASSAGE = "query: ", "passage: "
PACKAGES = (PACKAGE, "onnx", "sentencepiece")
# What all vectors have in common, by which the cosine of unrelated texts would be 0.76 and relevance count for little
# beside reliability: a mean over nine languages, which `python -m benchmarks.languages.centre` writes.
CENTRE = Path(__file__).with_name("centre.txt")


class E5Embedder:
    """Embeds a text on one thread, several texts on several; loads the model at the first one.

    Raises `ModelRefused` without the extra `languages`.
    """

    name = f"multilingual-e5-small:{DIMENSION}"
    dimension = DIMENSION

    def __init__(self) -> None:
        if not all(map(find_spec, PACKAGES)):
            raise ModelRefused(f"Embedding with multilingual-e5-small needs its weights: {installing('languages')}.")
        self._threads = ModelThreads(E5Encoder, name="embedder")
        self._centre = np.loadtxt(CENTRE, dtype=np.float32)

    async def embed(self, texts: Sequence[str], *, passages: bool = False) -> Vectors:
        prefix = PASSAGE if passages else QUESTION
        runs = [self._threads.run(E5Encoder.encode, prefix + text) for text in texts]
        vectors = np.array(await asyncio.gather(*runs), dtype=np.float32).reshape(-1, DIMENSION)
        return normalised(normalised(vectors) - self._centre)

    async def aclose(self) -> None:
        self._threads.close()


class E5Encoder:
    """The loaded model; safe for use by several threads at once. Raises `ModelDamaged`."""

    def __init__(self) -> None:
        self._weights = E5Weights.installed()
        self._tokenizer = E5Tokenizer(self._weights)
        options = SessionOptions()
        options.intra_op_num_threads = 1
        self._session = InferenceSession(encoder_graph(self._weights), options, providers=["CPUExecutionProvider"])
        width = self._weights.width
        self._positions = self._weights.floats("emb.pos").reshape(-1, width) + self._weights.floats("emb.type")[:width]

    def encode(self, text: str) -> Vectors:
        """(384,) the mean of the states of its tokens; of a long text the first 510 count."""
        tokens = [BEGIN, *self._tokenizer.tokens(text)[: self._weights.positions - 2], END]
        rows = self._weights.matrix("emb.word", self._weights.width, tokens).dequantized()
        (means,) = self._session.run(None, {INPUT: (rows + self._positions[: len(tokens)])[None]})
        return np.asarray(means[0], dtype=np.float32)


E5 = EmbedderProvider(
    name="e5",
    summary="multilingual-e5-small on this machine, for some 100 languages (extra `languages`)",
    make=lambda _settings: E5Embedder(),
)
