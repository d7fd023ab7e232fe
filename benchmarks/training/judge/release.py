"""From a trained judge to the files that are shipped.

`python -m benchmarks.training.judge.release --trained build/judge --out answering/judges/weights` writes the model in 8
bits, its tokenizer and a manifest, and chooses what turns logits into labels. The temperature makes held-out pairs
likeliest (Guo et al. 2017). The biases are those on a grid that find most conflicts (F1) and most labels in the
choosing part of RAMDocs and ConflictNQ, and most labels of held-out pairs (with `--opinions` of the opinions and
findings of the choosing part, too); nothing that is reported is looked at.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from answering.judges.compact import LABELS, Calibration, CompactJudge, answer_occurs
from answering.judges.judge import Judge, Label, Pair
from benchmarks.data.claim_sets import ClaimSet, load_conflictnq, load_ramdocs, sampled
from benchmarks.data.splits import Part
from benchmarks.judge.scores import accuracy, detection, pairs_of, true_labels
from benchmarks.training.export import export, write_manifest
from benchmarks.training.judge.data import held_out_examples
from benchmarks.training.judge.features import WINDOW_TOKENS
from benchmarks.training.judge.model import OUTPUTS, JudgeModel
from benchmarks.training.judge.opinions import load_opinion_pairs
from benchmarks.training.restore import load_trained

NAME = "judge-minilm-l6"
SEED = 6
HELD_OUT = 900
OPINIONS = 300
PART = Part.CALIBRATION
GRID = np.arange(-1.0, 3.01, 0.5)
STANDS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
ABSENT = (0.0, 0.5, 1.0, 2.0)
# Of biases that find conflicts equally well, single documents judged right decide.
ACCURACY_WEIGHT = 0.5


def main() -> None:
    """Export, choose, write."""
    options = _options()
    model = JudgeModel()
    load_trained(model, options.trained, blend=options.blend, share=options.share)
    path = export(model, OUTPUTS, options.out, int8=not options.full)
    write_manifest(options.out, NAME, WINDOW_TOKENS, {})
    settings = chosen_settings(CompactJudge(options.out, threads=options.threads), options.data, options.opinions)
    write_manifest(options.out, NAME, WINDOW_TOKENS, settings)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {settings}")


def chosen_settings(judge: CompactJudge, data: Path, opinions: bool) -> dict[str, float]:
    """What `Calibration` takes, from a judge without any."""
    kept = seen_by(judge, _known(data))
    temperature = likeliest_temperature(kept)
    sets = [load_ramdocs(data / "ramdocs", PART), load_conflictnq(data / "conflictnq", PART)]
    seen = seen_by(judge, {pair: None for claim_set in sets for pair in pairs_of(claim_set)})

    labelled = [kept]
    if opinions:
        labelled += [seen_by(judge, sampled(pairs, OPINIONS)) for pairs in load_opinion_pairs(data, PART).values()]

    def score(calibration: Calibration) -> float:
        labels = seen.labels(calibration)
        return sum(_score(claim_set, labels) for claim_set in sets) + sum(
            _mean(accuracy(each.known, each.labels(calibration))) for each in labelled
        )

    grid = (Calibration(temperature, *map(float, values)) for values in product(GRID, GRID, STANDS, ABSENT))
    best = max(
        grid,
        key=lambda calibration: (
            round(score(calibration), 3),
            -abs(calibration.supports) - abs(calibration.contradicts),
        ),
    )
    return {field.name: getattr(best, field.name) for field in fields(best)}


@dataclass(frozen=True, slots=True)
class Seen:
    """Pairs, their logits (pairs, 3) and whether the answer stands (pairs,), as far as they are known."""

    labels_by_pair: dict[Pair, Label | None]
    logits: NDArray[np.float32]
    stands: NDArray[np.float64]

    @property
    def known(self) -> dict[Pair, Label]:
        """The pairs whose label is known."""
        return {pair: label for pair, label in self.labels_by_pair.items() if label is not None}

    def labels(self, calibration: Calibration) -> dict[Pair, Label]:
        """What a judge with this calibration would say."""
        probabilities = calibration.with_occurrence(calibration.probabilities(self.logits), self.stands)
        return {pair: LABELS[at] for pair, at in zip(self.labels_by_pair, probabilities.argmax(axis=1), strict=True)}


def seen_by(judge: Judge, pairs: Mapping[Pair, Label | None]) -> Seen:
    """What a judge without a calibration makes of pairs."""
    labels_by_pair = dict(pairs)
    occurs = [answer_occurs(pair.claim, pair.passage) for pair in labels_by_pair]
    stands = np.array([np.nan if occurrence is None else float(occurrence) for occurrence in occurs])
    return Seen(labels_by_pair, _logs(judge, list(labels_by_pair)), stands)


def _known(data: Path) -> dict[Pair, Label | None]:
    kept = [example for example in held_out_examples(data, SEED) if example.label is not None]
    return {Pair(example.claim, example.passage): example.label for example in kept[:HELD_OUT]}


def likeliest_temperature(seen: Seen) -> float:
    """The temperature that makes the known labels likeliest (Guo et al. 2017, arXiv:1706.04599)."""
    right = np.array([LABELS.index(label) for label in seen.known.values()])

    def loss(temperature: float) -> float:
        probabilities = Calibration(temperature).probabilities(seen.logits)
        return float(-np.log(probabilities[np.arange(len(right)), right] + 1e-9).mean())

    return round(float(minimize_scalar(loss, bounds=(0.3, 5.0), method="bounded").x), 3)


def _score(sets: Sequence[ClaimSet], labels: dict[Pair, Label]) -> float:
    return detection(sets, labels).f1 + ACCURACY_WEIGHT * _mean(accuracy(true_labels(sets), labels))


def _mean(shares: dict[Label, float]) -> float:
    return sum(shares.values()) / len(shares)


def _logs(judge: Judge, pairs: Sequence[Pair]) -> NDArray[np.float32]:
    """(pairs, 3) logarithms of the uncalibrated probabilities, which are logits too."""
    judged = asyncio.run(judge.judge_all(pairs))
    rows = [[judgement.supports, judgement.contradicts, judgement.irrelevant] for judgement in judged]
    return np.log(np.array(rows, dtype=np.float32) + 1e-9)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--trained", type=Path, default=Path("build/judge"), metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--blend", type=Path, default=None, help="folder of a pack to take the mean with")
    parser.add_argument("--share", type=float, default=0.5, help="of the trained weights in that mean, from 0 to 1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--full", action="store_true", help="keep 32 bits, to see what 8 cost")
    parser.add_argument("--opinions", action="store_true", help="the weights were trained with opinions")
    return parser.parse_args()


if __name__ == "__main__":
    main()
