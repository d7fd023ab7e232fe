"""Texts as tokens, and a window of them as the arrays that a model takes.

Windows are run one at a time: several at once leave the cache and take 1.4 times as long (measured), and
dynamic quantisation would scale them together, so that what is read in a passage depended on its company.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from answering.compact.windows import Window

Ids = NDArray[np.int64]


def inputs(window: Window) -> dict[str, Ids]:
    """Each (1, tokens)."""
    ids, types = np.array([window.ids], dtype=np.int64), np.array([window.types], dtype=np.int64)
    return {"ids": ids, "mask": np.ones_like(ids), "types": types}


def encoded(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Encoding]:
    """The tokens of each text; half a surrogate pair, which cannot be tokenised, is read as a question mark."""
    clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    encodings: list[Encoding] = tokenizer.encode_batch(clean, add_special_tokens=False)
    return encodings
