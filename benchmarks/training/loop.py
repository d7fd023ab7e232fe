"""A training loop: checkpointed every few minutes, resumed where it stopped, watched by a progress bar and a plot."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import matplotlib
import torch
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from torch import nn

matplotlib.use("Agg")
from matplotlib import pyplot

Batch = TypeVar("Batch")

CHECKPOINT_SECONDS = 180.0
SMOOTHED_STEPS = 50
_TRIED_PRODUCTS = 10


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast: the rate rises over the warm-up share of all steps and falls to zero after it.

    `epochs` gives the length of every epoch, in any unit.
    """

    epochs: Sequence[float]
    rate: float
    warm_up: float = 0.08
    weight_decay: float = 0.01
    clip: float = 1.0


@dataclass(slots=True)
class _State:
    epoch: int = 0
    step_in_epoch: int = 0
    losses: list[float] = field(default_factory=list)


class Training(Generic[Batch]):
    """One training of one model; `fit` may be called again after an interruption and goes on."""

    def __init__(self, model: nn.Module, schedule: Schedule, folder: Path) -> None:
        self._model = model
        self._schedule = schedule
        self._folder = folder
        self._state = _State()
        self._optimizer = torch.optim.AdamW(_groups(model, schedule.weight_decay), lr=schedule.rate, fused=True)
        self._device = next(model.parameters()).device.type
        self._mixed = self._device != "cpu" or _faster_in_bfloat16()

    def fit(self, batches: Callable[[int], Sequence[Batch]], loss: Callable[[Batch], torch.Tensor]) -> None:
        """Train over `batches(epoch)` of every epoch, which must be the same whenever they are asked for."""
        self._resume()
        saved = time.monotonic()
        with _progress() as progress:
            for epoch in range(self._state.epoch, len(self._schedule.epochs)):
                todo = batches(epoch)
                done = self._state.step_in_epoch
                task = progress.add_task(f"epoch {epoch + 1}", total=len(todo), completed=done, loss=0)
                for batch in todo[done:]:
                    self._step(loss, batch, epoch, len(todo))
                    progress.update(task, advance=1, loss=self._recent())
                    if time.monotonic() - saved > CHECKPOINT_SECONDS:
                        self._save()
                        progress.console.print(self._report(epoch, len(todo)))
                        saved = time.monotonic()
                self._state.epoch, self._state.step_in_epoch = epoch + 1, 0
                self._save()
        self._plot()

    def _step(self, loss: Callable[[Batch], torch.Tensor], batch: Batch, epoch: int, steps: int) -> None:
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate(self._done(epoch, steps))
        with torch.autocast(self._device, dtype=torch.bfloat16, enabled=self._mixed):
            value = loss(batch)
        value.backward()
        nn.utils.clip_grad_norm_(self._model.parameters(), self._schedule.clip)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        self._state.step_in_epoch += 1
        self._state.losses.append(float(value.detach()))

    def _done(self, epoch: int, steps: int) -> float:
        lengths = self._schedule.epochs
        return (sum(lengths[:epoch]) + lengths[epoch] * self._state.step_in_epoch / steps) / sum(lengths)

    def _report(self, epoch: int, steps: int) -> str:
        done = self._done(epoch, steps)
        return f"{time.strftime('%H:%M:%S')} epoch {epoch + 1}, {done:.1%} of all, loss {self._recent():.3f}"

    def _rate(self, done: float) -> float:
        warm = self._schedule.warm_up
        return self._schedule.rate * (done / warm if done < warm else (1 - done) / (1 - warm))

    def _recent(self) -> float:
        losses = self._state.losses[-SMOOTHED_STEPS:]
        return sum(losses) / max(len(losses), 1)

    def _save(self) -> None:
        unfinished = self._folder / "checkpoint.unfinished"
        content: dict[str, Any] = {
            "model": self._model.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "epoch": self._state.epoch,
            "step_in_epoch": self._state.step_in_epoch,
            "losses": self._state.losses,
            "random": torch.get_rng_state(),
        }
        torch.save(content, unfinished)
        unfinished.replace(self._folder / "checkpoint.pt")

    def _resume(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / "checkpoint.pt"
        if path.exists():
            content = torch.load(path, weights_only=True, map_location="cpu")
            self._model.load_state_dict(content["model"])
            self._optimizer.load_state_dict(content["optimizer"])
            self._state = _State(content["epoch"], content["step_in_epoch"], content["losses"])
            torch.set_rng_state(content["random"])

    def _plot(self) -> None:
        losses = torch.tensor(self._state.losses)
        (self._folder / "losses.json").write_text(json.dumps([round(loss, 4) for loss in self._state.losses]))
        smooth = losses.unfold(0, min(SMOOTHED_STEPS, len(losses)), 1).mean(1)
        figure, axes = pyplot.subplots(figsize=(7, 4))
        axes.plot(losses, alpha=0.2, linewidth=0.5)
        axes.plot(smooth)
        axes.set(xlabel="step", ylabel="loss", title="Training loss, and its mean over 50 steps")
        figure.savefig(self._folder / "loss.png", dpi=120, bbox_inches="tight")
        pyplot.close(figure)


def _faster_in_bfloat16() -> bool:
    """Whether this processor multiplies matrices of bfloat16 faster; many emulate it, some at ten times the time."""

    def seconds(dtype: torch.dtype) -> float:
        factor = torch.ones(1024, 1024, dtype=dtype)
        began = time.perf_counter()
        for _ in range(_TRIED_PRODUCTS):
            factor @ factor
        return time.perf_counter() - began

    for dtype in (torch.bfloat16, torch.float32):
        seconds(dtype)  # the first products of a type choose a kernel
    return seconds(torch.bfloat16) < seconds(torch.float32)


def _groups(model: nn.Module, decay: float) -> list[dict[str, Any]]:
    """Weight decay for matrices only, as BERT was trained."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return [
        {"params": [parameter for parameter in trained if parameter.ndim > 1], "weight_decay": decay},
        {"params": [parameter for parameter in trained if parameter.ndim <= 1], "weight_decay": 0.0},
    ]


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} loss {task.fields[loss]:.3f}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
