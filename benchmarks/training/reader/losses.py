"""What the reader's training makes small: distance from the answers of the data."""

import torch
from torch.nn import functional

from benchmarks.training.reader.features import Batch
from benchmarks.training.reader.model import Logits

# The question whether there is an answer is asked twice: by the span (its place is the first token), and by itself.
ANSWERABLE_WEIGHT = 0.5
COMPARED_WEIGHT = 0.5


def answer_loss(logits: Logits, batch: Batch) -> torch.Tensor:
    """Cross-entropy of start and end, of being answerable, and of the answer among all passages of a question."""
    start, end, answerable = logits
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
