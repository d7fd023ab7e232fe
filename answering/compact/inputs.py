"""A window as the arrays that a model takes.

Windows are run one at a time: several at once leave the cache and take 1.4 times as long (measured), and
dynamic quantisation would scale them together, so that what is read in a passage depended on its company.
"""

import numpy as np
from numpy.typing import NDArray

from answering.compact.windows import Window

Ids = NDArray[np.int64]


def inputs(window: Window) -> dict[str, Ids]:
    """Each (1, tokens)."""
    ids, types = np.array([window.ids], dtype=np.int64), np.array([window.types], dtype=np.int64)
    return {"ids": ids, "mask": np.ones_like(ids), "types": types}
