"""Train the judge: `python -m benchmarks.training.judge --data ../shared/data --out build/judge`.

The same seed gives the same examples in the same order. An interrupted training continues from its last checkpoint.
With `--reader PACK` it starts from the weights of a reader (`benchmarks.training.reader.pack`), with `--start PACK`
from those of a judge.
"""

import argparse
import json
from pathlib import Path
from random import Random

import torch
from rich.console import Console
from rich.table import Table

from answering.judges.compact import LABELS
from benchmarks.training.batching import batches
from benchmarks.training.encoder import load_tokenizer
from benchmarks.training.judge.data import Passes, held_out_examples
from benchmarks.training.judge.features import NOT_SUPPORTS, Feature, collate, features
from benchmarks.training.judge.model import JudgeModel
from benchmarks.training.loop import Schedule, Training
from benchmarks.training.reader.model import ReaderModel
from benchmarks.training.restore import restore

SEED = 31
HELD_OUT = 1500
BATCH_TOKENS = 6144


def main() -> None:
    """Train; leave `checkpoint.pt`, `losses.json`, `loss.png` and `development.json` in the folder."""
    options = _options()
    torch.manual_seed(SEED)
    torch.set_num_threads(options.threads)
    tokenizer = load_tokenizer()
    model = _model(options.reader, options.start)
    drawn = Passes(options.data, SEED, size=options.size, opinions=options.opinions)

    def epoch(number: int) -> list[list[Feature]]:
        random = Random(f"{SEED}:{number}:batches")
        return _grouped(features(tokenizer, drawn.epoch(number)), random)

    model.train()
    Training[list[Feature]](model, Schedule([1.0] * options.epochs, options.rate), options.out).fit(
        epoch, lambda group: model.loss(collate(group, _device()))
    )
    kept = held_out_examples(options.data, SEED)[:HELD_OUT]
    accuracy = development_accuracy(model, features(tokenizer, kept))
    (options.out / "development.json").write_text(json.dumps(accuracy, indent=1))
    _show(accuracy)


def development_accuracy(model: JudgeModel, kept: list[Feature]) -> dict[str, float]:
    """The share judged right of every label, and the mean over the labels."""
    right: dict[str, list[bool]] = {label: [] for label in LABELS}
    model.eval()
    labelled = [feature for feature in kept if feature.label != NOT_SUPPORTS]
    for group in _grouped(labelled, Random(SEED)):
        batch = collate(group, _device())
        with torch.inference_mode(), torch.autocast(_device(), dtype=torch.bfloat16):
            judged = model(batch.ids, batch.types, batch.mask)[0].argmax(dim=-1)
        for label, guess in zip(batch.label.tolist(), judged.tolist(), strict=True):
            right[LABELS[label]].append(label == guess)
    shares = {label: sum(hits) / max(len(hits), 1) for label, hits in right.items()}
    return shares | {"mean": sum(shares.values()) / len(shares)}


def _model(reader_pack: Path | None, judge_pack: Path | None) -> JudgeModel:
    model = JudgeModel()
    if reader_pack:
        reader = ReaderModel()
        restore(reader, reader_pack)
        model.begin_as_reader(reader.state_dict())
    if judge_pack:
        restore(model, judge_pack)
    # A third of all weights, most of them of words that the training data never shows.
    model.encoder.embeddings.word_embeddings.requires_grad_(requires_grad=False)
    return model.to(_device())


def _grouped(examples: list[Feature], random: Random) -> list[list[Feature]]:
    lengths = [len(feature.window.ids) for feature in examples]
    return [[examples[place] for place in group] for group in batches(lengths, BATCH_TOKENS, random, _padded_length)]


def _padded_length(tokens: int) -> int:
    """Windows of a batch differ by up to 8 tokens."""
    return (tokens // 8 + 1) * 8


def _device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def _show(accuracy: dict[str, float]) -> None:
    table = Table("label", "accuracy on held-out paragraphs and premises")
    for label, share in accuracy.items():
        table.add_row(label, f"{share:.3f}")
    Console().print(table)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("build/judge"))
    begin = parser.add_mutually_exclusive_group()
    begin.add_argument("--reader", type=Path, default=None, metavar="PACK", help="begin as this reader")
    begin.add_argument("--start", type=Path, default=None, metavar="PACK", help="begin as this judge")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--size", type=int, default=None, help="examples an epoch; without it, all there are")
    parser.add_argument("--opinions", action="store_true", help="also opinions and findings (notes/judge.md)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
