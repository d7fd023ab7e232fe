"""Batches of windows of similar length, padded."""

from collections.abc import Callable, Iterable, Sequence
from random import Random

import torch


def batches(
    lengths: Sequence[int], tokens: int, random: Random, padded_length: Callable[[int], int] = int
) -> list[list[int]]:
    """Places of windows of similar length together, each batch with at most `tokens` padded tokens, in random order."""
    ordered = sorted(range(len(lengths)), key=lambda place: (lengths[place] // 8, random.random()))
    made: list[list[int]] = [[]]
    for place in ordered:
        if made[-1] and padded_length(lengths[place]) * (len(made[-1]) + 1) > tokens:
            made.append([])
        made[-1].append(place)
    random.shuffle(made)
    return made


def padded(rows: Iterable[Sequence[int]], device: str = "cpu") -> torch.Tensor:
    """A tensor (rows, longest row), filled up with 0."""
    lists = [list(row) for row in rows]
    longest = max(map(len, lists))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in lists], device=device)
