"""Train the reader: `python -m benchmarks.training.reader --data ../shared/data --out build/reader`.

The folder keeps the windows of every stage and a checkpoint of the last few minutes: the same command goes on where an
earlier one was stopped, by whatever signal. The same seed gives the same windows in the same order.
"""

import argparse
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import torch
from rich.console import Console

from benchmarks.training.batching import group_batches
from benchmarks.training.encoder import load_tokenizer
from benchmarks.training.loop import Schedule, Training
from benchmarks.training.reader.data import STAGES, Drawing, Stage, load_examples
from benchmarks.training.reader.features import Windows
from benchmarks.training.reader.losses import answer_loss
from benchmarks.training.reader.model import Logits, ReaderModel
from benchmarks.training.restore import restore

BATCH_TOKENS = 3072
Step = tuple[Windows, list[int]]


def main() -> None:
    """Train and leave `checkpoint.pt`, `losses.json` and `loss.png` in the folder."""
    options = _options()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    drawing = cache(lambda: Drawing(load_examples(options.data), options.seed))
    stages = [stage for stage in STAGES if stage.name in options.stages]
    plan = [_steps(stage, _windows(stage, drawing, options), options) for stage in stages]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = ReaderModel().to(device)
    if options.start:
        restore(model, options.start)
    model.encoder.embeddings.word_embeddings.requires_grad_(requires_grad=False)
    model.train()

    def loss(step: Step) -> torch.Tensor:
        windows, rows = step
        batch = windows.batch(rows, device)
        logits: Logits = model(batch.ids, batch.types, batch.mask)
        return answer_loss(logits, batch)

    schedule = Schedule([len(steps) for steps in plan], options.rate)
    Training[Step](model, schedule, options.out).fit(lambda number: plan[number], loss)


def _windows(stage: Stage, drawing: Callable[[], Drawing], options: argparse.Namespace) -> Windows:
    path = options.out / f"{stage.name}.npz"
    if not path.exists():
        random = Random(f"{options.seed}:{stage.name}:windows")
        Windows.make(load_tokenizer(), drawing().questions(stage), random).save(path)
    windows = Windows.load(path)
    answered = (windows.ends > 0).mean()
    Console().print(
        f"{stage.name}: {len(windows.lengths):,} windows, {len(windows.ids):,} tokens, {answered:.0%} answer"
    )
    return windows


def _steps(stage: Stage, windows: Windows, options: argparse.Namespace) -> list[Step]:
    random = Random(f"{options.seed}:{stage.name}:batches")
    batches = group_batches(windows.by_question(), windows.lengths.tolist(), BATCH_TOKENS, random)
    return [(windows, batch) for batch in batches[: round(len(batches) * options.share)]]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("build/reader"))
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--threads", type=int, default=2)
    names = [stage.name for stage in STAGES]
    parser.add_argument("--stages", nargs="+", choices=names, default=names, help="only these stages")
    parser.add_argument("--share", type=float, default=1.0, help="only this share of every stage, for a short training")
    parser.add_argument("--seed", type=int, default=20, help="another draws other passages, to train on with")
    parser.add_argument("--start", type=Path, default=None, help="folder of a pack whose weights to start from")
    return parser.parse_args()


if __name__ == "__main__":
    main()
