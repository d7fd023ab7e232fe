"""Examples as token ids: one window of each, its label, and where in it the claim's question is answered."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Encoding, Tokenizer

from answering.compact.windows import Window, windows
from answering.judges.compact import CLAIM_TOKENS, LABELS
from answering.judges.judge import Label
from benchmarks.training.batching import padded
from benchmarks.training.judge.pairs import Example

WINDOW_TOKENS = 224
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
    claims = tokenizer.encode_batch([example.claim for example in examples], add_special_tokens=False)
    passages = tokenizer.encode_batch([example.passage for example in examples], add_special_tokens=False)
    made = (_feature(*three) for three in zip(examples, claims, passages, strict=True))
    return [feature for feature in made if feature is not None]


def collate(features: Sequence[Feature], device: str) -> Batch:
    """One batch of tensors."""
    return Batch(
        ids=padded((feature.window.ids for feature in features), device),
        mask=padded(([1] * len(feature.window.ids) for feature in features), device),
        types=padded((feature.window.types for feature in features), device),
        label=torch.tensor([feature.label for feature in features], device=device),
        start=torch.tensor([feature.start for feature in features], device=device),
        end=torch.tensor([feature.end for feature in features], device=device),
    )


def _feature(example: Example, claim: Encoding, passage: Encoding) -> Feature | None:
    label = NOT_SUPPORTS if example.label is None else LABELS.index(example.label)
    for window in windows(claim.ids, passage.ids, max_tokens=WINDOW_TOKENS, question_tokens=CLAIM_TOKENS):
        if example.span is None:
            position = NOWHERE if example.label is Label.IRRELEVANT else UNKNOWN
            return Feature(window, label, position, position)
        places = _places(window, passage, example.span)
        if places is not None:
            return Feature(window, label, *places)
    return None


def _places(window: Window, passage: Encoding, span: tuple[int, int]) -> tuple[int, int] | None:
    """The first and the last token of the span in the window, None where it does not lie whole in it."""
    tokens = [at for at, (begin, end) in enumerate(passage.offsets) if begin < span[1] and end > span[0]]
    if not tokens or tokens[0] < window.first or tokens[-1] >= window.last:
        return None
    return tokens[0] - window.first + window.offset, tokens[-1] - window.first + window.offset
