"""Examples as token ids: one window of each, its label, and where in it the claim's question is answered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import torch
from tokenizers import Encoding, Tokenizer

from answering.compact.windows import Window, windows
from answering.judges.compact import CLAIM_TOKENS, LABELS
from answering.judges.judge import Label
from benchmarks.training.judge.pairs import Example

WINDOW_TOKENS = 256
# The first token stands for "answered nowhere"; what is not known is not learnt from.
NOWHERE = 0
UNKNOWN = -100
NOT_SUPPORTS = len(LABELS)


@dataclass(frozen=True, slots=True)
class Feature:
    """One window; `label` is a place in `LABELS`, or NOT_SUPPORTS."""

    window: Window
    label: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded tensors: ids, mask and types (batch, tokens); label, start and end (batch,)."""

    ids: torch.Tensor
    mask: torch.Tensor
    types: torch.Tensor
    label: torch.Tensor
    start: torch.Tensor
    end: torch.Tensor


def features(tokenizer: Tokenizer, examples: Sequence[Example]) -> list[Feature]:
    """The first window of each example, or the first that holds its span whole; none where no window does."""
    claims = tokenizer.encode_batch([one.claim for one in examples], add_special_tokens=False)
    passages = tokenizer.encode_batch([one.passage for one in examples], add_special_tokens=False)
    made = (_feature(*three) for three in zip(examples, claims, passages, strict=True))
    return [feature for feature in made if feature is not None]


def batches(features: Sequence[Feature], tokens: int, random: Random) -> list[list[Feature]]:
    """Features of like length together, each batch with at most `tokens` padded tokens, in a random order."""
    ordered = sorted(features, key=lambda feature: (len(feature.window.ids) // 8, random.random()))
    made: list[list[Feature]] = [[]]
    for feature in ordered:
        if made[-1] and (len(feature.window.ids) // 8 + 1) * 8 * (len(made[-1]) + 1) > tokens:
            made.append([])
        made[-1].append(feature)
    random.shuffle(made)
    return made


def collate(some: Sequence[Feature], device: str) -> Batch:
    """One batch of tensors."""
    longest = max(len(feature.window.ids) for feature in some)

    def padded(rows: Iterator[Sequence[int]]) -> torch.Tensor:
        return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], device=device)

    return Batch(
        ids=padded(feature.window.ids for feature in some),
        mask=padded([1] * len(feature.window.ids) for feature in some),
        types=padded(feature.window.types for feature in some),
        label=torch.tensor([feature.label for feature in some], device=device),
        start=torch.tensor([feature.start for feature in some], device=device),
        end=torch.tensor([feature.end for feature in some], device=device),
    )


def _feature(example: Example, claim: Encoding, passage: Encoding) -> Feature | None:
    label = NOT_SUPPORTS if example.label is None else LABELS.index(example.label)
    for window in windows(claim.ids, passage.ids, max_tokens=WINDOW_TOKENS, question_tokens=CLAIM_TOKENS):
        if example.span is None:
            place = NOWHERE if example.label is Label.IRRELEVANT else UNKNOWN
            return Feature(window, label, place, place)
        places = _places(window, passage, example.span)
        if places is not None:
            return Feature(window, label, *places)
    return None


def _places(window: Window, passage: Encoding, span: tuple[int, int]) -> tuple[int, int] | None:
    """The first and the last token of the span in the window, None where it does not lie whole in it."""
    held = [at for at, (begin, end) in enumerate(passage.offsets) if begin < span[1] and end > span[0]]
    if not held or held[0] < window.first or held[-1] >= window.last:
        return None
    return held[0] - window.first + window.offset, held[-1] - window.first + window.offset
