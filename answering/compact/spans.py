"""The best span of a window from the logits of its starts and ends."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answering.compact.windows import Window

Logits = NDArray[np.float32]
# Answers are short; RAMDocs' and SQuAD's longest are rarely longer.
LONGEST_TOKENS = 24


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens [first, last] of the passage, and how much better they score than the first token, which means none."""

    first: int
    last: int
    margin: float


def best_span(start: Logits, end: Logits, window: Window) -> Span:
    """The span of at most `LONGEST_TOKENS` tokens with the highest sum of logits (BERT, section 4.2)."""
    count = window.last - window.first
    inside = slice(window.offset, window.offset + count)
    starts, ends = start[inside], end[inside]
    none = float(start[0] + end[0])
    if count == 0:
        return Span(window.first, window.first, -np.inf)
    sums = [starts[: count - longer] + ends[longer:] for longer in range(min(LONGEST_TOKENS, count))]
    longer = int(np.argmax([some.max() for some in sums]))
    first = int(sums[longer].argmax())
    return Span(window.first + first, window.first + first + longer, float(sums[longer][first]) - none)
