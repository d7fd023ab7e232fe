"""Synthetic passages and questions: text and embeddings that agree on a topic.

Text: 60 to 120 words, Zipf over 50,000 words of which the commonest are English stop words, an eighth of them from
the passage's topic. Embeddings: a mixture of Gaussians on the sphere, themes over topics over documents over
passages, every component with a decaying spectrum, so that neighbourhoods overlap as those of real embeddings do.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

DIMENSION = 256
TOPICS = 2_000
THEMES = 40
VOCABULARY = 50_000
TOPIC_WORDS = 60
PASSAGES_A_DOCUMENT = 10
CHUNK = 20_000

STOP_WORDS = re.findall(
    r"\w+",
    "the of and to a in is that for it as was with be by on not he i this are or his from at which but have an had"
    " they you were there all we can her has when who will more if no out so what up its about into than them",
)
COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
COPY_TRAILER = struct.pack("!h", -1)

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Question:
    """A question's embedding in pgvector's notation, and its words."""

    vector: str
    words: str


@dataclass(slots=True)
class PassageGenerator:
    """Draws passages and questions about the same topics, the same ones for the same seed."""

    seed: int
    random: np.random.Generator = field(init=False)
    words: list[str] = field(init=False)
    topics: Floats = field(init=False)
    topical: Numbers = field(init=False)

    def __post_init__(self) -> None:
        """Draw the vocabulary and the topics."""
        self.random = np.random.default_rng(self.seed)
        self.words = [*STOP_WORDS, *(_word(rank) for rank in range(VOCABULARY - len(STOP_WORDS)))]
        themes = self._gaussian(THEMES)
        belongs = self.random.integers(0, THEMES, TOPICS)
        self.topics = _unit(0.6 * themes[belongs] + 0.8 * self._gaussian(TOPICS))
        self.topical = self.random.integers(2_000, VOCABULARY, (TOPICS, TOPIC_WORDS))

    def passages(self, count: int, first: int = 0) -> Iterator[bytes]:
        """`count` passages, numbered from `first`, as binary COPY of (number int, content text, embedding halfvec)."""
        yield COPY_HEADER
        for start in range(first, first + count, CHUNK):
            yield self._rows(start, min(CHUNK, first + count - start))
        yield COPY_TRAILER

    def questions(self, count: int) -> list[Question]:
        """Questions with three words of a topic and three common ones, their embeddings near the topic's."""
        topics = self.random.integers(0, TOPICS, count)
        vectors = _unit(0.8 * self.topics[topics] + 0.6 * self._gaussian(count))
        return [
            Question("[" + ",".join(f"{number:.5f}" for number in vector) + "]", self._question(int(topic)))
            for topic, vector in zip(topics, vectors, strict=True)
        ]

    def _question(self, topic: int) -> str:
        rare = self.topical[topic, self.random.choice(TOPIC_WORDS // 3, 3, replace=False)]
        common = np.exp(self.random.uniform(np.log(len(STOP_WORDS)), np.log(5_000), 3)).astype(int)
        first, *others = (self.words[rank] for rank in (*rare, *common))
        return f"What is the {first} of {' '.join(others)}?"

    def _rows(self, first: int, count: int) -> bytes:
        documents = -(-count // PASSAGES_A_DOCUMENT)
        topics = np.repeat(self.random.integers(0, TOPICS, documents), PASSAGES_A_DOCUMENT)[:count]
        texts = self._texts(topics)
        halves = self._embeddings(topics, documents)
        heads = np.zeros(count, dtype=[("fields", ">i2"), ("size", ">i4"), ("number", ">i4")])
        heads["fields"], heads["size"], heads["number"] = 3, 4, np.arange(first, first + count)
        tails = np.zeros(
            count, dtype=[("size", ">i4"), ("length", ">i2"), ("unused", ">i2"), ("numbers", ">f2", DIMENSION)]
        )
        tails["size"], tails["length"], tails["numbers"] = 4 + 2 * DIMENSION, DIMENSION, halves
        return b"".join(
            part
            for row, text in enumerate(texts)
            for part in (heads[row].tobytes(), struct.pack("!i", len(text)), text, tails[row].tobytes())
        )

    def _embeddings(self, topics: Numbers, documents: int) -> Floats:
        about = np.repeat(self._gaussian(documents), PASSAGES_A_DOCUMENT, axis=0)[: len(topics)]
        return _unit(0.75 * self.topics[topics] + 0.35 * about + 0.55 * self._gaussian(len(topics)))

    def _texts(self, topics: Numbers) -> list[bytes]:
        lengths = self.random.integers(60, 121, len(topics))
        drawn = np.exp(self.random.random(lengths.sum()) * np.log(VOCABULARY)).astype(np.int64) - 1
        of_topic = self.random.random(len(drawn)) < 1 / 8
        choice = (self.random.random(len(drawn)) ** 2 * TOPIC_WORDS).astype(np.int64)
        drawn = np.where(of_topic, self.topical[np.repeat(topics, lengths), choice], drawn)
        words = [self.words[rank] for rank in drawn.tolist()]
        ends = np.cumsum(lengths).tolist()
        return [" ".join(words[start:end]).encode() for start, end in zip([0, *ends], ends, strict=False)]

    def _gaussian(self, count: int) -> Floats:
        spectrum = (1 + np.arange(DIMENSION)) ** -0.4
        return _unit(self.random.standard_normal((count, DIMENSION), dtype=np.float32) * spectrum)


def _unit(rows: NDArray[np.floating]) -> Floats:
    lengths: Floats = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / lengths, dtype=np.float32)


def _word(rank: int) -> str:
    syllables = ""
    rank += 37
    while rank:
        syllables += "bcdfghklmnprstvz"[rank % 16] + "aeiou"[rank // 16 % 5]
        rank //= 80
    return syllables + "k"
