"""How sure the service is of lies whose tellers came last, and what it costs where nobody lies: `SUREST_OF_LATECOMERS`.

The queries of a run are asked as questions, with and without the days on which sources came: one a day, liars last,
and of real workers in a drawn order.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.calibration.worlds import NOTHING, judged
from benchmarks.data.crowd import load_crowd
from benchmarks.data.real_sets import CROWDS
from benchmarks.estimated import reliabilities_of
from benchmarks.harness import Cell, Report
from benchmarks.harness.reliability import Judged
from benchmarks.poisoning.worlds import ATTACKS, World, draw
from estimator import VoteMatrix, estimate
from estimator.arrays.types import Floats, Integers

LYING = list(ATTACKS)[:3]
TIMES = 0.6, 1.2
"""Liars as shares of the honest sources: about where they begin to win, and where they have won."""
HONEST = 9, 18, 30
_SURE = 0.95
_Pair = tuple[Judged, Judged]


def _pair(votes: VoteMatrix, asked: VoteMatrix, days: Floats, right: Integers) -> _Pair:
    """Answers to queries of the run without and with ages; `right` (M,) are those that count as right, -1 unknown."""
    result = estimate(votes, registered=days)
    electorates = reliabilities_of(result).electorate(), reliabilities_of(result, registered=days).electorate()
    plain, capped = (judged(electorate, asked, right) for electorate in electorates)
    return plain, capped


def _joined(pairs: Iterator[_Pair]) -> _Pair:
    plain, capped = NOTHING, NOTHING
    for of_plain, of_capped in pairs:
        plain, capped = plain.joined(of_plain), capped.joined(of_capped)
    return plain, capped


def _of_world(world: World, *, lies: bool) -> _Pair:
    days = np.arange(world.votes.source_count, dtype=np.float64)
    targets = np.isin(np.arange(world.truth.size), world.targets)
    asked = world.votes.of_queries(targets)[0] if lies else world.votes
    return _pair(world.votes, asked, days, world.lie if lies else world.truth)


def measure_latecomers(report: Report, first_seed: int) -> None:
    """Both tables."""
    seeds = range(first_seed, first_seed + (1 if report.options.quick else report.options.seeds))
    honest = {f"{count} drawn sources": _joined(_of_world(draw(LYING[0], count, 0, seed), lies=False) for seed in seeds)
              for count in HONEST}  # fmt: skip
    for name in CROWDS[: 1 if report.options.quick else None]:
        if (folder := report.options.data / "crowd" / name).is_dir():
            labelled = load_crowd(folder)
            days = np.random.default_rng(first_seed).permutation(labelled.votes.source_count).astype(np.float64)
            honest[name] = _pair(labelled.votes, labelled.votes, days, labelled.gold)
    _honest_table(report, honest)
    _lies_table(report, seeds)


def _honest_table(report: Report, measured: dict[str, _Pair]) -> None:
    rows: list[list[Cell]] = []
    for name, (plain, capped) in measured.items():
        lowered = plain.confidence > capped.confidence
        right = f"{plain.right[lowered].mean():.3f}" if lowered.any() else "-"
        rows.append(
            [name, plain.right.size, f"{lowered.mean():.3f}", right, f"{plain.error:.3f}", f"{capped.error:.3f}"]
        )
        report.figure(f"latecomers.{name}.error", capped.error)
    title = "Where nobody lies: answers whose confidence is lowered as they rest on sources that came last"
    report.table(title, ["sources", "answers", "lowered", "of these right", "error without", "error with"], rows)


def _lies_table(report: Report, seeds: Sequence[int]) -> None:
    rows: list[list[Cell]] = []
    for attack in LYING:
        for count in HONEST[:: len(HONEST) - 1]:
            for liars in (round(share * count) for share in TIMES):
                pairs = (_of_world(draw(attack, count, liars, seed), lies=True) for seed in seeds)
                plain, capped = _joined(pairs)
                adopted = plain.right
                sure = [of.confidence[adopted] for of in (plain, capped)]
                shown = [f"{each.mean():.3f}, {(each > _SURE).mean():.2f}" if each.size else "-" for each in sure]
                rows.append([attack, count, liars, f"{adopted.mean():.2f}", *shown])
                if sure[1].size:
                    report.figure(f"latecomers.{attack}.{count}.{liars}.sure", float((sure[1] > _SURE).mean()))
    title = "Lies of those who came last that are adopted: mean confidence, and share above 0.95"
    report.table(title, ["attack", "honest", "liars", "adopted", "without", "with"], rows)
