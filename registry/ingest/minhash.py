"""MinHash signatures of passages (Broder 1997): two of them agree in as many places as the passages share word runs."""

import re
import zlib
from typing import Final

import numpy as np

PLACES: Final = 32
SIZE: Final = 4 * PLACES
"""Bytes of a signature: places of 32 bits, little-endian."""
_RUN: Final = 4
# Texts of a sentence are alike because there are few ways to say so little, and prove nothing.
_FEWEST_WORDS: Final = 20
_WORD: Final = re.compile(r"\w+")
_RANDOM: Final = np.random.default_rng(1997)
_FACTORS: Final = _RANDOM.integers(0, 2**63, PLACES, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
_OFFSETS: Final = _RANDOM.integers(0, 2**63, PLACES, dtype=np.uint64)


def signature(content: str) -> bytes | None:
    """Of the runs of four words, whatever their case and punctuation; None for a passage of fewer than 20 words."""
    words = _WORD.findall(content.casefold())
    if len(words) < _FEWEST_WORDS:
        return None
    runs = {" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)}
    hashes = np.fromiter((zlib.crc32(run.encode()) for run in runs), dtype=np.uint64, count=len(runs))
    # Multiply and shift (Dietzfelbinger et al. 1997): the upper half of the product is nearly random.
    mixed = (hashes[:, None] * _FACTORS + _OFFSETS) >> np.uint64(32)
    return bytes(mixed.min(axis=0).astype("<u4").data)
