"""A larger reader that teaches a smaller one."""

from pathlib import Path

import torch

from benchmarks.training.reader.features import Batch
from benchmarks.training.reader.model import Logits, ReaderModel


class Teacher:
    """A trained reader with the larger encoder, which does not change.

    `run` is the folder of its training, `encoder` that of the encoder it was trained from.
    """

    def __init__(self, run: Path, encoder: Path, device: str) -> None:
        self._model = ReaderModel(encoder).to(device).eval()
        self._model.load_state_dict(torch.load(run / "checkpoint.pt", weights_only=True, map_location=device)["model"])

    def __call__(self, batch: Batch) -> Logits:
        """The teacher's logits of a batch of windows."""
        with torch.no_grad():
            logits: Logits = self._model(batch.ids, batch.types, batch.mask)
        return logits
