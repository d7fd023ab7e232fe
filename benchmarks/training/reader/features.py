"""Examples as token ids: windows over the passage with the places of start and end."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import torch
from tokenizers import Tokenizer

from answering.compact.windows import Window, windows
from benchmarks.data.squad import Example
from benchmarks.training.batching import padded

# Positions of tokens that start and end an answer; 0 is the first token, which stands for "no answer here".
NONE = 0
WINDOW_TOKENS = 224


@dataclass(frozen=True, slots=True)
class Feature:
    """One window: its tokens, and where in them the answer starts and ends (both 0 without one)."""

    window: Window
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded tensors: ids, mask and types (batch, tokens); start and end (batch,)."""

    ids: torch.Tensor
    mask: torch.Tensor
    types: torch.Tensor
    start: torch.Tensor
    end: torch.Tensor


def features(tokenizer: Tokenizer, examples: Sequence[Example], random: Random, window_tokens: int) -> list[Feature]:
    """One window of each example: one that holds the answer whole, any of them where there is none."""
    questions = tokenizer.encode_batch([example.question for example in examples], add_special_tokens=False)
    passages = tokenizer.encode_batch([example.passage for example in examples], add_special_tokens=False)
    made = []
    for example, question, passage in zip(examples, questions, passages, strict=True):
        offsets = passage.offsets  # a property that makes a list
        features = [
            Feature(window, *_place(window, offsets, example.span))
            for window in windows(question.ids, passage.ids, max_tokens=window_tokens)
        ]
        holding = [feature for feature in features if feature.end != NONE]
        if holding or example.span is None:
            made.append(random.choice(holding or features))
    return made


def collate(features: Sequence[Feature]) -> Batch:
    """One batch of tensors."""
    return Batch(
        ids=padded(feature.window.ids for feature in features),
        mask=padded([1] * len(feature.window.ids) for feature in features),
        types=padded(feature.window.types for feature in features),
        start=torch.tensor([feature.start for feature in features]),
        end=torch.tensor([feature.end for feature in features]),
    )


def _place(window: Window, offsets: Sequence[tuple[int, int]], span: tuple[int, int] | None) -> tuple[int, int]:
    if span is None:
        return NONE, NONE
    inside = [
        token - window.first + window.offset
        for token in range(window.first, window.last)
        if offsets[token][0] < span[1] and offsets[token][1] > span[0]
    ]
    whole = inside and _begins(offsets, window, span[0]) and _ends(offsets, window, span[1])
    return (inside[0], inside[-1]) if whole else (NONE, NONE)


def _begins(offsets: Sequence[tuple[int, int]], window: Window, at: int) -> bool:
    return window.first == 0 or offsets[window.first][0] <= at


def _ends(offsets: Sequence[tuple[int, int]], window: Window, at: int) -> bool:
    return window.last == len(offsets) or offsets[window.last - 1][1] >= at
