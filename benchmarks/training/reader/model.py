"""The reader: an encoder with a start and an end for every token, and whether there is an answer at all."""

from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from benchmarks.training.encoder import load_encoder
from benchmarks.training.larger import LargerEncoder
from benchmarks.training.reader.features import Batch

# The question whether there is an answer is asked twice: by the span (its place is the first token), and by itself.
ANSWERABLE_WEIGHT = 0.5
COMPARED_WEIGHT = 0.5


class ReaderModel(nn.Module):
    """Logits of start and end (batch, tokens), the first token meaning none, and of being answerable (batch,)."""

    def __init__(self, larger: Path | None = None) -> None:
        super().__init__()
        self.encoder = load_encoder() if larger is None else LargerEncoder(larger)
        self.places = nn.Linear(self.encoder.config.hidden_size, 2)
        self.answerable = nn.Linear(self.encoder.config.hidden_size, 1)

    def forward(
        self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        hidden = self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state
        # Only the passage's tokens, and the first one, can start or end an answer.
        allowed = mask.bool() & types.bool()
        allowed = torch.cat([torch.ones_like(allowed[:, :1]), allowed[:, 1:]], dim=1)
        places = self.places(hidden).float().masked_fill(~allowed.unsqueeze(-1), -1e4)
        return places[..., 0], places[..., 1], self.answerable(hidden[:, 0]).float().squeeze(-1)

    def loss(self, batch: Batch) -> torch.Tensor:
        """Cross-entropy of start and end, of being answerable, and of the answer among all passages of a question."""
        start, end, answerable = self(batch.ids, batch.mask, batch.types)
        places = functional.cross_entropy(start, batch.start) + functional.cross_entropy(end, batch.end)
        answerable_loss = functional.binary_cross_entropy_with_logits(answerable, (batch.end > 0).float())
        compared = compared_loss(start, batch.start, batch.question) + compared_loss(end, batch.end, batch.question)
        return places / 2 + ANSWERABLE_WEIGHT * answerable_loss + COMPARED_WEIGHT * compared / 2


def compared_loss(logits: torch.Tensor, places: torch.Tensor, questions: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of the place of the answer among the tokens of all passages of its question in the batch.

    `logits` are (batch, tokens), `places` and the numbers of the `questions` (batch,). Logits count above that of no
    answer, as they do when an answer is chosen among passages. Without this loss each passage has a scale of its own
    (shared normalisation: Clark and Gardner 2018, arXiv:1710.10723, section 3.2).
    """
    above = logits - logits[:, :1]
    of_passage = above[:, 1:].logsumexp(dim=1)
    others = questions.unsqueeze(1) != questions.unsqueeze(0)
    of_question = of_passage.expand(len(of_passage), -1).masked_fill(others, -torch.inf).logsumexp(dim=1)
    answer = above.gather(1, places.unsqueeze(1)).squeeze(1)
    answered = places > 0
    return ((of_question - answer) * answered).sum() / answered.sum().clamp(min=1)
