"""Batches of windows of similar length, padded."""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Protocol, TypeVar

import torch

from answering.compact.windows import Window


class Feature(Protocol):
    """An example as one window of tokens."""

    @property
    def window(self) -> Window: ...


AnyFeature = TypeVar("AnyFeature", bound=Feature)


def batches(
    features: Sequence[AnyFeature], tokens: int, random: Random, padded_length: Callable[[int], int] = int
) -> list[list[AnyFeature]]:
    """Features of similar length together, each batch with at most `tokens` padded tokens, in random order."""
    ordered = sorted(features, key=lambda feature: (len(feature.window.ids) // 8, random.random()))
    made: list[list[AnyFeature]] = [[]]
    for feature in ordered:
        if made[-1] and padded_length(len(feature.window.ids)) * (len(made[-1]) + 1) > tokens:
            made.append([])
        made[-1].append(feature)
    random.shuffle(made)
    return made


def padded(rows: Iterable[Sequence[int]], device: str = "cpu") -> torch.Tensor:
    """A tensor (rows, longest row), filled up with 0."""
    lists = [list(row) for row in rows]
    longest = max(map(len, lists))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in lists], device=device)
