"""The reader: an encoder with a start and an end for every token, and whether there is an answer at all."""

from typing import NamedTuple

import torch
from torch import nn
from transformers import BertModel

from benchmarks.training.encoder import load_encoder


class Logits(NamedTuple):
    """Of start and end (batch, tokens), the first token meaning none, and of being answerable (batch,)."""

    start: torch.Tensor
    end: torch.Tensor
    answerable: torch.Tensor


def places_allowed(types: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """Whether a token can start or end an answer (batch, tokens): the passage's tokens can, and the first one."""
    allowed = types.bool() if mask is None else mask.bool() & types.bool()
    return torch.cat([torch.ones_like(allowed[:, :1]), allowed[:, 1:]], dim=1)


class ReaderModel(nn.Module):
    """An encoder with a layer for places and one for being answerable."""

    def __init__(self, encoder: BertModel | None = None) -> None:
        super().__init__()
        self.encoder = load_encoder() if encoder is None else encoder
        self.places = nn.Linear(self.encoder.config.hidden_size, 2)
        self.answerable = nn.Linear(self.encoder.config.hidden_size, 1)

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor | None = None) -> Logits:
        """All inputs are (batch, tokens); without padding there is no mask."""
        hidden = self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state
        return self.heads(hidden, types, mask)

    def heads(self, hidden: torch.Tensor, types: torch.Tensor, mask: torch.Tensor | None) -> Logits:
        """The same from the states of the encoder (batch, tokens, width)."""
        places = self.places(hidden).float().masked_fill(~places_allowed(types, mask).unsqueeze(-1), -1e4)
        return Logits(places[..., 0], places[..., 1], self.answerable(hidden[:, 0]).float().squeeze(-1))
