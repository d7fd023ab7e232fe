"""Examples as windows of token ids, kept in flat arrays so that a training that is resumed need not make them again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from answering.compact.windows import MAX_SPAN_TOKENS, Window, windows
from benchmarks.data.squad import Example

# Positions of tokens that start and end an answer; 0 is the first token, which stands for "no answer here".
NONE = 0
WINDOW_TOKENS = 224
_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded tensors: ids, mask and types (batch, tokens); start, end and question (batch,)."""

    ids: torch.Tensor
    mask: torch.Tensor
    types: torch.Tensor
    start: torch.Tensor
    end: torch.Tensor
    question: torch.Tensor


class Feature(NamedTuple):
    """A window, and the positions in it where the answer starts and ends."""

    window: Window
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows one after the other: `ids` (tokens of all windows), and for each its length, where in it the passage
    with its context begins, where the answer starts and ends (both 0 without one), and the number of its question."""

    ids: NDArray[np.uint32]
    lengths: NDArray[np.int32]
    passages: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    questions: NDArray[np.int32]

    @classmethod
    def make(cls, tokenizer: Tokenizer, questions: Sequence[Sequence[Example]], random: Random) -> "Windows":
        """One window of each example of each question: one that holds the answer whole, any where there is none."""
        numbered = [(number, example) for number, examples in enumerate(questions) for example in examples]
        made = [
            feature
            for at in range(0, len(numbered), _CHUNK)
            for feature in _features(tokenizer, [example for _, example in numbered[at : at + _CHUNK]], random)
        ]
        return cls.of((number, feature) for (number, _), feature in zip(numbered, made, strict=True) if feature)

    @classmethod
    def of(cls, features: Iterable[tuple[int, Feature]]) -> "Windows":
        """Windows with the numbers of their questions."""
        kept = list(features)
        return cls(
            np.fromiter(chain.from_iterable(feature.window.ids for _, feature in kept), np.uint32),
            np.array([len(feature.window.ids) for _, feature in kept], np.int32),
            np.array([feature.window.behind_question for _, feature in kept], np.int32),
            np.array([feature.start for _, feature in kept], np.int32),
            np.array([feature.end for _, feature in kept], np.int32),
            np.array([number for number, _ in kept], np.int32),
        )

    def by_question(self) -> list[list[int]]:
        """The places of the windows of each question."""
        return [list(map(itemgetter(0), group)) for _, group in groupby(enumerate(self.questions), key=itemgetter(1))]

    def save(self, path: Path) -> None:
        """Write the arrays, all or nothing."""
        unfinished = path.with_suffix(".unfinished.npz")
        np.savez(unfinished, **{name: getattr(self, name) for name in self.__slots__})
        unfinished.replace(path)

    @classmethod
    def load(cls, path: Path) -> "Windows":
        with np.load(path) as arrays:
            return cls(**arrays)

    def batch(self, rows: Sequence[int], device: str) -> Batch:
        """The windows of these places as tensors."""
        lengths = self.lengths[rows]
        first = np.cumsum(self.lengths, dtype=np.int64)[rows] - lengths
        columns = np.arange(lengths.max())
        mask = columns < lengths[:, None]
        ids = np.where(mask, self.ids[np.minimum(first[:, None] + columns, len(self.ids) - 1)], 0)
        types = mask & (columns >= self.passages[rows][:, None])
        arrays = (ids, mask, types, self.starts[rows], self.ends[rows], self.questions[rows])
        return Batch(*(torch.from_numpy(array.astype(np.int64)).to(device) for array in arrays))


def _features(tokenizer: Tokenizer, examples: Sequence[Example], random: Random) -> Iterator[Feature | None]:
    """The window of each example; None where no window holds its answer whole."""
    questions = tokenizer.encode_batch([example.question for example in examples], add_special_tokens=False)
    passages = tokenizer.encode_batch([example.passage for example in examples], add_special_tokens=False)
    contexts = tokenizer.encode_batch([example.context for example in examples], add_special_tokens=False)
    for example, question, passage, context in zip(examples, questions, passages, contexts, strict=True):
        offsets = passage.offsets  # a property that makes a list
        cut = windows(question.ids, passage.ids, context=context.ids, max_tokens=WINDOW_TOKENS)
        yield chosen_feature(cut, offsets, example.span, random)


def chosen_feature(
    cut: Iterable[Window], offsets: Sequence[tuple[int, int]], span: tuple[int, int] | None, random: Random
) -> Feature | None:
    """One of the windows of a passage that hold its answer whole, None without one; any where there is no answer.

    `offsets` are the characters of the tokens of the passage.
    """
    features = [Feature(window, *_place(window, offsets, span)) for window in cut]
    holding = [feature for feature in features if feature.end != NONE]
    return random.choice(holding or features) if holding or span is None else None


def _place(window: Window, offsets: Sequence[tuple[int, int]], span: tuple[int, int] | None) -> tuple[int, int]:
    if span is None:
        return NONE, NONE
    inside = [
        token - window.first + window.offset
        for token in range(window.first, window.last)
        if offsets[token][0] < span[1] and offsets[token][1] > span[0]
    ]
    whole = inside and _begins(offsets, window, span[0]) and _ends(offsets, window, span[1])
    short = len(inside) <= MAX_SPAN_TOKENS
    return (inside[0], inside[-1]) if whole and short else (NONE, NONE)


def _begins(offsets: Sequence[tuple[int, int]], window: Window, at: int) -> bool:
    return window.first == 0 or offsets[window.first][0] <= at


def _ends(offsets: Sequence[tuple[int, int]], window: Window, at: int) -> bool:
    return window.last == len(offsets) or offsets[window.last - 1][1] >= at
