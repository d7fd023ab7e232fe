"""The judge: an encoder that looks for the answer in the passage, and weighs what it found there."""

from collections.abc import Mapping

import torch
from torch import nn
from torch.nn import functional
from transformers import BertModel

from answering.compact.windows import CLS, SEP
from answering.judges.compact import LABELS
from benchmarks.training.encoder import load_encoder
from benchmarks.training.judge.features import NOT_SUPPORTS, UNKNOWN, Batch
from benchmarks.training.reader.model import places_allowed

SPAN_WEIGHT = 0.4
DROPOUT = 0.1
TYPES = "embeddings.token_type_embeddings.weight"
OUTPUTS = ("labels", "starts", "ends")
"""The names of what `forward` returns, in its order."""


class JudgeModel(nn.Module):
    """An encoder that is told which tokens of claim and passage also stand in the other, unless another one is given.

    Logits of the labels (batch, 3), and of start and end (batch, tokens), the first token meaning nowhere."""

    def __init__(self, encoder: BertModel | None = None) -> None:
        super().__init__()
        self.encoder = load_encoder() if encoder is None else encoder
        self._is_told = encoder is None
        if self._is_told:
            embeddings = self.encoder.embeddings
            embeddings.token_type_embeddings = _with_matched(embeddings.token_type_embeddings)
        size = self.encoder.config.hidden_size
        self.places = nn.Linear(size, 2)
        self.hidden = nn.Linear(3 * size, size)
        self.labels = nn.Linear(size, len(LABELS))
        self.dropout = nn.Dropout(DROPOUT)

    def begin_as_reader(self, reader: Mapping[str, torch.Tensor]) -> None:
        """Take over what a trained reader knows about finding answers."""
        shared = {name: value for name, value in reader.items() if name in self.state_dict()}
        if self._is_told:
            types = f"encoder.{TYPES}"
            shared[types] = shared[types].repeat(2, 1)
        self.load_state_dict(shared, strict=False)

    def forward(
        self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """All inputs are (batch, tokens); without padding there is no mask."""
        told = types + 2 * _matched(ids, types, mask) if self._is_told else types
        hidden = self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=told).last_hidden_state
        return self.heads(hidden, types, mask)

    def heads(
        self, hidden: torch.Tensor, types: torch.Tensor, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The same from the states of the encoder (batch, tokens, width)."""
        places = self.places(hidden).float().masked_fill(~places_allowed(types, mask).unsqueeze(-1), -1e4)
        # What the label is decided on: the whole, and what stands where the answer seems to start and to end.
        edges = torch.softmax(places, dim=1).to(hidden.dtype).transpose(1, 2) @ hidden
        whole = torch.cat([hidden[:, 0], edges[:, 0], edges[:, 1]], dim=-1)
        weighed = functional.gelu(self.hidden(self.dropout(whole)))
        return self.labels(self.dropout(weighed)).float(), places[..., 0], places[..., 1]

    def loss(self, batch: Batch) -> torch.Tensor:
        """Cross-entropy of the labels, and of the places where they are known."""
        labels, start, end = self(batch.ids, batch.types, batch.mask)
        placed = _known(start, batch.start) + _known(end, batch.end)
        return _label_loss(labels, batch.label) + SPAN_WEIGHT * placed / 2


def _with_matched(types: nn.Embedding) -> nn.Embedding:
    """Types 2 and 3 are 0 and 1 for tokens that stand on the other side too; they begin as equal to those."""
    return nn.Embedding.from_pretrained(types.weight.detach().repeat(2, 1), freeze=False)


def _matched(ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """1 for every token, but the marks between claim and passage, that also stands on the other side."""
    word = (ids != CLS) & (ids != SEP)
    if mask is not None:
        word = word & mask.bool()
    opposite = types.unsqueeze(2) != types.unsqueeze(1)
    same = (ids.unsqueeze(2) == ids.unsqueeze(1)) & opposite & word.unsqueeze(2) & word.unsqueeze(1)
    return same.any(dim=2).long()


def _known(logits: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    total = functional.cross_entropy(logits, places, ignore_index=UNKNOWN, reduction="sum")
    return total / (places != UNKNOWN).sum().clamp(min=1)


def _label_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Where a pair is only known not to support, minus the logarithm of what is left for the other two labels."""
    logs = functional.log_softmax(logits, dim=-1)
    exact = logs.gather(1, labels.clamp(max=len(LABELS) - 1).unsqueeze(1)).squeeze(1)
    either = torch.logsumexp(logs[:, 1:], dim=-1)
    return -torch.where(labels == NOT_SUPPORTS, either, exact).mean()
