"""Windows as padded arrays, those of like length together."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from answering.compact.windows import Window

Ids = NDArray[np.int64]
# More padded tokens at once take more memory and no less time.
BATCH_TOKENS = 2048


def batched(windows: Sequence[Window], tokens: int = BATCH_TOKENS) -> Iterator[tuple[list[int], dict[str, Ids]]]:
    """Places in `windows` and the model's inputs (batch, tokens), in batches of at most `tokens` padded tokens."""
    places: list[int] = []
    for place in sorted(range(len(windows)), key=lambda place: len(windows[place].ids)):
        if places and (len(places) + 1) * len(windows[place].ids) > tokens:
            yield places, _inputs([windows[one] for one in places])
            places = []
        places.append(place)
    if places:
        yield places, _inputs([windows[one] for one in places])


def _inputs(windows: Sequence[Window]) -> dict[str, Ids]:
    shape = (len(windows), max(len(window.ids) for window in windows))
    ids, mask, types = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
        types[row, window.offset : len(window.ids)] = 1
    return {"ids": ids, "mask": mask, "types": types}
