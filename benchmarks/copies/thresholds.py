"""What half and double of every threshold of the search for copies do, on the seeds that chose them."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from benchmarks.copies import datasets
from benchmarks.harness import Cell, Report
from estimator import VoteMatrix, estimate
from estimator.arrays.types import Integers
from estimator.copying import CopyDetection, find_copies
from estimator.group_votes import collapse
from tests.estimator.synthetic import CopySample, draw_copies

WORLDS: Mapping[str, Callable[[np.random.Generator], CopySample]] = {
    "4 copiers, 80 %": lambda random: draw_copies(datasets.star(4, 0.8), random),
    "8 copiers, 60 %": lambda random: draw_copies(datasets.star(8, 0.6), random),
    "sites": lambda random: draw_copies(datasets.sites(random, 2_000), random),
    "loose": lambda random: draw_copies(datasets.loose(random, 2_000), random),
    "camps": lambda random: datasets.camps(random, 3_000),
    "2 copiers, 80 %, honest 0.9": lambda random: draw_copies(datasets.star(2, 0.8, 0.9), random),
    "two good models": lambda random: draw_copies(datasets.two_good_models(random), random),
}
SEARCHES: Mapping[str, Callable[[VoteMatrix], CopyDetection]] = {
    "as chosen": find_copies,
    "overlap 0.15": partial(find_copies, overlap=0.15),
    "overlap 0.6": partial(find_copies, overlap=0.6),
    "copied share 0.25": partial(find_copies, copied_share=0.25),
    "copied share 0.75 (half of the rest)": partial(find_copies, copied_share=0.75),
    "allowance 0": partial(find_copies, allowance=0.0),
    "allowance 0.2": partial(find_copies, allowance=0.2),
    "allowance 0.7 (half of the rest)": partial(find_copies, allowance=0.7),
}


def wrong_pairs(true: Integers, found: Integers) -> tuple[int, int]:
    """Pairs of independent sources grouped together, and pairs of copiers missed."""
    first, second = np.triu_indices(true.size, 1)
    copying, together = true[first] == true[second], found[first] == found[second]
    return int((together & ~copying).sum()), int((copying & ~together).sum())


def measure_thresholds(report: Report) -> None:
    """A row for every setting: accuracy in worlds with copies, and pairs accused in all worlds."""
    seeds = 1 if report.options.quick else 6
    samples = {name: [make(np.random.default_rng(seed)) for seed in range(seeds)] for name, make in WORLDS.items()}
    innocent = [
        sample for seed in range(seeds) for sample in datasets.independent(np.random.default_rng(seed)).values()
    ]
    known: dict[tuple[int, bytes], float] = {}
    rows: list[list[Cell]] = []
    for setting, search in SEARCHES.items():
        accused = sum(wrong_pairs(sample.groups, search(sample.votes).groups)[0] for sample in innocent)
        row: list[Cell] = [setting]
        for name, drawn in samples.items():
            found = [search(sample.votes).groups for sample in drawn]
            pairs = list(zip(drawn, found, strict=True))
            accused += sum(wrong_pairs(sample.groups, groups)[0] for sample, groups in pairs)
            accuracy = float(np.mean([_accuracy(sample, groups, known) for sample, groups in pairs]))
            row.append(f"{accuracy:.3f}")
            report.figure(f"thresholds.{setting}.{name}", accuracy)
        rows.append([*row, accused])
        report.figure(f"thresholds.{setting}.pairs_accused", accused)
    report.table(f"Half and double of the settings, {seeds} seeds from 0", ["setting", *WORLDS, "pairs accused"], rows)


def _accuracy(sample: CopySample, groups: Integers, known: dict[tuple[int, bytes], float]) -> float:
    """Accuracy of `one_coin` on these groups; most settings find the same ones."""
    key = (id(sample), groups.tobytes())
    if key not in known:
        known[key] = sample.accuracy(estimate(collapse(sample.votes, groups), "one_coin").answer)
    return known[key]
