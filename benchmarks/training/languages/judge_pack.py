"""From a trained judge of many languages to its pack.

`python -m benchmarks.training.languages.judge_pack --run build/languages_judge --out answering/e5/judge` writes what
was trained of the layers, the heads, and the settings of the calibration, by texts that training did not see:
sentences of the sets that train, and claims made of questions. `benchmarks.languages.judging` reports on others.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import torch

from answering.e5.weights import E5Weights
from answering.judges.compact import Calibration
from answering.judges.judge import Label, Pair
from answering.judges.multilingual import MultilingualJudge
from benchmarks.data.language_sets import development_sets
from benchmarks.data.language_verdicts import development_verdicts
from benchmarks.judge.scores import accuracy
from benchmarks.training.export import write_manifest
from benchmarks.training.judge.features import WINDOW_TOKENS
from benchmarks.training.judge.model import OUTPUTS, JudgeModel
from benchmarks.training.judge.release import ABSENT, GRID, STANDS, Seen, likeliest_temperature, seen_by
from benchmarks.training.languages.encoder import load_encoder
from benchmarks.training.languages.export import export_pack
from benchmarks.training.languages.judge import SEED, question_claims

NAME = "judge-e5-small"
PAIRS = 300
"""Of each set."""


def main() -> None:
    """Export, choose, write; prints the shares of right labels by set."""
    options = _options()
    weights = E5Weights.installed()
    model = JudgeModel(load_encoder(weights))
    model.load_state_dict(torch.load(options.run / "checkpoint.pt", weights_only=True, map_location="cpu")["model"])
    export_pack(model, OUTPUTS, weights, options.out)
    write_manifest(options.out, NAME, WINDOW_TOKENS, {})
    judge = MultilingualJudge(options.out, threads=options.threads)
    sets = {name: seen_by(judge, pairs) for name, pairs in _development(options.data).items()}
    temperature = float(np.mean([likeliest_temperature(each) for each in sets.values()]))
    grid = [Calibration(temperature, *map(float, values)) for values in product(GRID, GRID, STANDS, ABSENT)]
    best = max(grid, key=lambda calibration: round(np.mean([_right(each, calibration) for each in sets.values()]), 3))
    settings = {name: float(getattr(best, name)) for name in Calibration.__slots__}
    write_manifest(options.out, NAME, WINDOW_TOKENS, settings)
    print(settings)
    for name, each in sets.items():
        labels = ", ".join(f"{label} {share:.2f}" for label, share in accuracy(each.known, each.labels(best)).items())
        print(f"{name}: {_right(each, best):.3f} right; {labels}")


def _development(data: Path) -> Mapping[str, dict[Pair, Label | None]]:
    """Pairs by set."""
    by_set: defaultdict[str, dict[Pair, Label | None]] = defaultdict(dict)
    for one in development_verdicts(data):
        by_set[one.source.partition("_")[0]][one.pair] = one.label
    for questions in development_sets(data):
        for example in question_claims(questions[:PAIRS], Random(SEED)):
            by_set[questions[0].topic][Pair(example.claim, example.passage)] = example.label
    return {
        name: dict(Random(SEED).sample(list(pairs.items()), min(PAIRS, len(pairs)))) for name, pairs in by_set.items()
    }


def _right(seen: Seen, calibration: Calibration) -> float:
    labels = seen.labels(calibration)
    return float(np.mean([labels[pair] is label for pair, label in seen.known.items()]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=Path("build/languages_judge"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
