"""A model of six layers learns from one of twelve: what that says, and its states on the way.

The logits are those of a teacher at a temperature (Hinton et al. 2015, arXiv:1503.02531), the states those behind the
layers that the student began as (Romero et al. 2015, arXiv:1412.6550).
"""

from collections.abc import Callable, Sequence
from typing import Generic

import torch
from torch.nn import functional

from benchmarks.training.judge.model import JudgeModel
from benchmarks.training.languages.encoder import HALF, Model
from benchmarks.training.reader.model import ReaderModel

TEMPERATURE = 1.5
# Of the loss by the labels of the data, beside that by the teacher.
LABELLED = 0.5

Outputs = Sequence[torch.Tensor]


class Distillation(Generic[Model]):
    """The student begins as layers of the teacher. `weights` are those of the outputs of the model, in their order."""

    def __init__(self, teacher: Model, student: Model, weights: Sequence[float]) -> None:
        self._teacher: Model = teacher.eval().requires_grad_(requires_grad=False)
        self._student: Model = student
        self._weights = weights
        heads = {name: value for name, value in teacher.state_dict().items() if not name.startswith("encoder.")}
        student.load_state_dict(heads, strict=False)
        for place, number in enumerate(HALF, len(HALF)):
            student.encoder.encoder.layer[place].load_state_dict(teacher.encoder.encoder.layer[number].state_dict())

    def loss(
        self,
        ids: torch.Tensor,
        types: torch.Tensor,
        mask: torch.Tensor,
        labelled: Callable[[Outputs], torch.Tensor],
    ) -> torch.Tensor:
        """All inputs are (batch, tokens); `labelled` is the loss of the student's outputs by the labels."""
        with torch.no_grad():
            expected_states = _states(self._teacher, ids, types, mask)
            expected = self._teacher.heads(expected_states[-1], types, mask)
        states = _states(self._student, ids, types, mask)
        outputs = self._student.heads(states[-1], types, mask)
        loss = LABELLED * labelled(outputs)
        for weight, logits, known in zip(self._weights, outputs, expected, strict=True):
            loss = loss + weight * _distance(logits, known)
        present = mask.bool()
        for place, number in enumerate(HALF, len(HALF)):
            ours, theirs = states[place + 1].float()[present], expected_states[number + 1].float()[present]
            loss = loss + functional.mse_loss(ours, theirs) / theirs.var() / len(HALF)
        return loss


def _states(model: ReaderModel | JudgeModel, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> Outputs:
    """Those of the embeddings and behind every layer, each (batch, tokens, width)."""
    encoded = model.encoder(input_ids=ids, attention_mask=mask, token_type_ids=types, output_hidden_states=True)
    states: Outputs = encoded.hidden_states
    return states


def _distance(logits: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """From what is expected: of one logit (batch,) or of several that exclude each other (batch, n)."""
    if logits.ndim == 1:
        return functional.binary_cross_entropy_with_logits(logits, expected.sigmoid())
    ours = functional.log_softmax(logits / TEMPERATURE, dim=1)
    theirs = functional.softmax(expected / TEMPERATURE, dim=1)
    return functional.kl_div(ours, theirs, reduction="batchmean") * TEMPERATURE**2
