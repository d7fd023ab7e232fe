"""From a trained judge to the files that are shipped.

`python -m benchmarks.training.judge_release --trained build/judge --out answering/judges/weights` writes the model in 8
bits, its tokenizer and a manifest, and chooses what turns logits into labels. The temperature makes held-out pairs
likeliest (Guo et al. 2017). The biases are those on a grid that find most conflicts (F1) and most labels among the
choosing part of RAMDocs and ConflictNQ; nothing that is reported is looked at.
"""

import argparse
import asyncio
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from answering.judges.calibration import Calibration
from answering.judges.compact import LABELS, CompactJudge
from answering.judges.port import Label, Pair
from benchmarks.judge_scores import accuracy, detection, known_labels, pairs_of
from benchmarks.judge_sets import ClaimSet, Part, load_conflictnq, load_ramdocs
from benchmarks.training.export import export, write_manifest
from benchmarks.training.judge_data import held_out_examples
from benchmarks.training.judge_features import WINDOW_TOKENS
from benchmarks.training.judge_model import OUTPUTS, JudgeModel

NAME = "judge-minilm-l6"
SEED = 6
HELD_OUT = 1500
GRID = np.arange(-2.0, 2.01, 0.25)
# Of biases that find conflicts equally well, single documents judged right decide.
ACCURACY_WEIGHT = 0.5


def main() -> None:
    """Export, choose, write."""
    options = _options()
    model = JudgeModel()
    trained = torch.load(options.trained / "checkpoint.pt", weights_only=True, map_location="cpu")
    model.load_state_dict(trained["model"])
    path = export(model, OUTPUTS, options.out, int8=not options.full)
    write_manifest(options.out, NAME, WINDOW_TOKENS, {})
    settings = chosen_settings(CompactJudge(options.out, threads=options.threads), options.data)
    write_manifest(options.out, NAME, WINDOW_TOKENS, settings)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {settings}")


def chosen_settings(judge: CompactJudge, data: Path) -> dict[str, float]:
    """The temperature and the biases, from a judge without any."""
    temperature = _temperature(judge, data)
    sets = [load_ramdocs(data / "ramdocs", Part.CHOOSING), load_conflictnq(data / "conflictnq", Part.CHOOSING)]
    supports, contradicts = _biases(judge, sets, temperature)
    return {"temperature": temperature, "supports": supports, "contradicts": contradicts}


def _temperature(judge: CompactJudge, data: Path) -> float:
    kept = [one for one in held_out_examples(data, SEED) if one.label is not None][:HELD_OUT]
    logs = _logs(judge, [Pair(one.claim, one.passage) for one in kept])
    right = np.array([LABELS.index(one.label) for one in kept if one.label is not None])

    def loss(temperature: float) -> float:
        probabilities = Calibration(temperature).probabilities(logs)
        return float(-np.log(probabilities[np.arange(len(right)), right] + 1e-9).mean())

    return round(float(minimize_scalar(loss, bounds=(0.3, 5.0), method="bounded").x), 3)


def _biases(judge: CompactJudge, sets: Sequence[Sequence[ClaimSet]], temperature: float) -> tuple[float, float]:
    pairs = list(dict.fromkeys(pair for found in sets for pair in pairs_of(found)))
    logs = _logs(judge, pairs)

    def score(biases: tuple[float, float]) -> float:
        best = Calibration(temperature, *biases).probabilities(logs).argmax(axis=1)
        labels = {pair: LABELS[at] for pair, at in zip(pairs, best, strict=True)}
        return sum(_score(found, labels) for found in sets)

    grid = [(float(first), float(second)) for first, second in product(GRID, GRID)]
    return max(grid, key=lambda biases: (round(score(biases), 3), -sum(map(abs, biases))))


def _score(sets: Sequence[ClaimSet], labels: dict[Pair, Label]) -> float:
    shares = accuracy(known_labels(sets), labels)
    return detection(sets, labels).f1 + ACCURACY_WEIGHT * sum(shares.values()) / len(shares)


def _logs(judge: CompactJudge, pairs: Sequence[Pair]) -> NDArray[np.float32]:
    """(pairs, 3) logarithms of the uncalibrated probabilities, which are logits too."""
    judged = asyncio.run(judge.judge_all(pairs))
    rows = [[one.supports, one.contradicts, one.irrelevant] for one in judged]
    return np.log(np.array(rows, dtype=np.float32) + 1e-9)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--trained", type=Path, default=Path("build/judge"), metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--full", action="store_true", help="keep 32 bits, to see what 8 cost")
    return parser.parse_args()


if __name__ == "__main__":
    main()
