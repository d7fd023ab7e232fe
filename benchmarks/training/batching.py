"""Batches of windows of similar length, padded."""

from collections.abc import Callable, Iterable, Sequence
from random import Random

import torch


def batches(
    lengths: Sequence[int], tokens: int, random: Random, padded_length: Callable[[int], int] = int
) -> list[list[int]]:
    """Places of windows of similar length together, each batch with at most `tokens` padded tokens, in random order."""
    return group_batches([[place] for place in range(len(lengths))], lengths, tokens, random, padded_length)


def group_batches(
    groups: Sequence[Sequence[int]],
    lengths: Sequence[int],
    tokens: int,
    random: Random,
    padded_length: Callable[[int], int] = int,
) -> list[list[int]]:
    """The same for groups of places that must stay in one batch; a group of more tokens is a batch of its own."""
    longest = [max(lengths[place] for place in group) for group in groups]
    ordered = sorted(range(len(groups)), key=lambda number: (longest[number] // 8, random.random()))
    made: list[list[int]] = []
    for number in ordered:
        # Lengths are sorted by eights, so that a group before may be longer by a few tokens.
        if not made or padded_length(longest[number]) * (len(made[-1]) + len(groups[number])) > tokens:
            made.append([])
        made[-1].extend(groups[number])
    random.shuffle(made)
    return made


def padded(rows: Iterable[Sequence[int]], device: str = "cpu") -> torch.Tensor:
    """A tensor (rows, longest row), filled up with 0."""
    lists = [list(row) for row in rows]
    longest = max(map(len, lists))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in lists], device=device)
