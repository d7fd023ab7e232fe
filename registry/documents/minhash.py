"""MinHash signatures of passages (Broder 1997, doi:10.1109/SEQUEN.1997.666900).

The share of places in which two signatures agree estimates the Jaccard similarity of the passages' word 4-grams.
"""

import re
import zlib
from typing import Final

import numpy as np

PLACES: Final = 32
SIZE: Final = 4 * PLACES
"""Bytes of a signature: one little-endian uint32 a place."""
NEAR_DUPLICATE: Final = 0.7
"""Share of equal places from which two passages are near-duplicates."""
_NGRAM: Final = 4
# Independent texts of one sentence are often equal, so that their similarity proves nothing.
_MIN_WORDS: Final = 20
_WORD: Final = re.compile(r"\w+")
_RANDOM: Final = np.random.default_rng(1997)
_FACTORS: Final = _RANDOM.integers(0, 2**63, PLACES, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
_OFFSETS: Final = _RANDOM.integers(0, 2**63, PLACES, dtype=np.uint64)


def signature(content: str) -> bytes | None:
    """The signature of a passage, whatever its case and punctuation; None for fewer than 20 words."""
    words = _WORD.findall(content.casefold())
    if len(words) < _MIN_WORDS:
        return None
    ngrams = {" ".join(words[at : at + _NGRAM]) for at in range(len(words) - _NGRAM + 1)}
    hashes = np.fromiter((zlib.crc32(ngram.encode()) for ngram in ngrams), dtype=np.uint64, count=len(ngrams))
    # Multiply-shift hashing (Dietzfelbinger et al. 1997): the upper half of the product is nearly uniform.
    mixed = (hashes[:, None] * _FACTORS + _OFFSETS) >> np.uint64(32)
    return bytes(mixed.min(axis=0).astype("<u4").data)
