"""Train a reader of many languages: `python -m benchmarks.training.languages --out build/languages`.

Of the lower layers of multilingual-e5-small only what matrices of a low rank add is trained, so that what ships are
mostly the upper ones and the heads. English questions and those of six sets in five languages train; German, Spanish,
Italian, Turkish, Persian and Korean do not, and are read by what carries over. The same command goes on where an
earlier one was stopped. It needs the extras `train` and `languages`.
"""

import argparse
from pathlib import Path
from random import Random

import torch
from rich.console import Console

from answering.compact.model import CompactModel
from answering.e5.tokenizer import E5Tokenizer
from answering.e5.weights import E5Weights
from benchmarks.data.language_sets import training_sets
from benchmarks.data.question_sets import load_questions
from benchmarks.data.reported import ReportedTexts
from benchmarks.data.splits import is_development
from benchmarks.data.squad import Example
from benchmarks.training.batching import group_batches
from benchmarks.training.languages.encoder import load_encoder, load_pack
from benchmarks.training.languages.windows import make_windows
from benchmarks.training.loop import Schedule, Training
from benchmarks.training.reader.features import Windows
from benchmarks.training.reader.losses import answer_loss
from benchmarks.training.reader.model import Logits, ReaderModel

BATCH_TOKENS = 3072
ENGLISH = ("squad_train", "squad2_train", "nq_open")


def main() -> None:
    """Train and leave `checkpoint.pt`, `losses.json` and `loss.png` in the folder."""
    options = _options()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    weights = E5Weights.installed()
    windows = _windows(weights, options)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = ReaderModel(load_encoder(weights))
    if options.start is not None:
        load_pack(model, CompactModel.open(options.start))
    model.to(device).train()

    def loss(rows: list[int]) -> torch.Tensor:
        batch = windows.batch(rows, device)
        logits: Logits = model(batch.ids, batch.types, batch.mask)
        return answer_loss(logits, batch)

    schedule = Schedule([1.0] * options.epochs, options.rate)
    Training[list[int]](model, schedule, options.out).fit(lambda epoch: _batches(windows, epoch, options), loss)


def _windows(weights: E5Weights, options: argparse.Namespace) -> Windows:
    path = options.out / "windows.npz"
    if not path.exists():
        random = Random(f"{options.seed}:windows")
        sets = [_english(options.data), *training_sets(options.data)]
        sets = [random.sample(examples, round(len(examples) * options.share)) for examples in sets]
        make_windows(E5Tokenizer(weights), sets, random).save(path)
    windows = Windows.load(path)
    answered = (windows.ends > 0).mean()
    Console().print(f"{len(windows.lengths):,} windows, {len(windows.ids):,} tokens, {answered:.0%} answer")
    return windows


def _english(data: Path) -> list[Example]:
    reported = ReportedTexts.load(data)
    folder = data / "reader_train" / "more"
    examples = [example for name in ENGLISH for example in load_questions(folder / f"{name}.jsonl.gz", name)]
    return [example for example in examples if not is_development(example) and not reported.contain(example)]


def _batches(windows: Windows, epoch: int, options: argparse.Namespace) -> list[list[int]]:
    random = Random(f"{options.seed}:{epoch}:batches")
    return group_batches(windows.by_question(), windows.lengths.tolist(), BATCH_TOKENS, random)[: options.batches]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("build/languages"))
    parser.add_argument("--start", type=Path, help="pack of a reader to begin with")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batches", type=int, help="only so many of every epoch")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--share", type=float, default=1.0, help="only this share of the questions")
    parser.add_argument("--seed", type=int, default=20)
    return parser.parse_args()


if __name__ == "__main__":
    main()
