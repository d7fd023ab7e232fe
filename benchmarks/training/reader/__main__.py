"""Train the reader: `python -m benchmarks.training.reader --data ../shared/data --out build/reader`.

The same seed gives the same examples in the same order. An interrupted training continues from its last checkpoint.
"""

import argparse
from pathlib import Path
from random import Random

import torch

from benchmarks.data.splits import Part, ramdocs_examples, training_examples
from benchmarks.training.batching import batches
from benchmarks.training.encoder import load_tokenizer
from benchmarks.training.loop import Schedule, Training
from benchmarks.training.reader.data import Epochs
from benchmarks.training.reader.features import WINDOW_TOKENS, Feature, collate, features
from benchmarks.training.reader.model import ReaderModel

SEED = 20
BATCH_TOKENS = 6144


def main() -> None:
    """Train and leave `checkpoint.pt`, `losses.json` and `loss.png` in the folder."""
    options = _options()
    torch.manual_seed(SEED)
    torch.set_num_threads(options.threads)
    drawn = Epochs(training_examples(options.data), ramdocs_examples(options.data, Part.TRAINING), SEED)
    tokenizer = load_tokenizer()
    model = ReaderModel(options.larger).to("cuda" if torch.cuda.is_available() else "cpu")
    model.encoder.embeddings.word_embeddings.requires_grad_(requires_grad=False)

    def epoch(number: int) -> list[list[Feature]]:
        random = Random(f"{SEED}:{number}:batches")
        made = batches(features(tokenizer, drawn.epoch(number), random, WINDOW_TOKENS), BATCH_TOKENS, random)
        return made[: options.batches]

    model.train()
    Training[list[Feature]](model, Schedule(options.epochs, options.rate), options.out).fit(
        epoch, lambda group: model.loss(collate(group))
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("build/reader"))
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batches", type=int, default=None, help="only so many of an epoch's, for a short training")
    parser.add_argument("--larger", type=Path, default=None, help="folder of a larger encoder, to compare with")
    return parser.parse_args()


if __name__ == "__main__":
    main()
