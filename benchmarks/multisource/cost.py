"""What one more reading is worth, and the kappa that follows: `python -m benchmarks.multisource.cost`.

The queries that estimated the reliabilities tell it without labels: for every kappa the mean confidence of their
answers, and the mean number of readings. The kappa with the highest confidence less the price of its readings is
chosen, and the right answers to the test questions say what that was worth. Corpora are those recorded in `--work` by
`python -m benchmarks.multisource`, and two whose readings are drawn with the errors of Llama3-8B (`drawn`).
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.harness import Cell, Report, progress, run
from benchmarks.harness.plots import PLOTS, Panel, PlotStyle, draw_panels
from benchmarks.multisource import BENCHMARK, replay
from benchmarks.multisource.drawn import drawn_record
from benchmarks.multisource.record import CorpusRecord, Question
from benchmarks.multisource.replay import Floats
from benchmarks.multisource.store import Store
from benchmarks.multisource.synthetic import Prior, Setting

PRICE = 0.01
"""Of a reading, in confidence: a point. Half and double are measured too; nothing chose it."""
PRICES = (PRICE / 2, PRICE, PRICE * 2)
MOST_SEEDS = 5
# Fewer readings a question tell nothing of what one is worth.
LEAST = 0.05
SHOWN = ("N=9", "spammers=6", "spammers=3")
"""The sources of a corpus; of several subsets the first."""
DRAWN = (
    Setting("drawn, Beta(6, 4)"),
    Setting("drawn, six spammers", prior=Prior.SPAMMER_HAMMER, spammers=6),
)
PLOTTED = ("drawn, Beta(6, 4)", "drawn, six spammers", "beta", "spammers", "topics", "rgb")
"""The corpora that are plotted."""


@dataclass(frozen=True, slots=True)
class Curve:
    """By kappa from 1: readings a query, confidence without labels, and on test questions readings and right ones."""

    readings: Floats
    confidence: Floats
    spent: Floats
    right: Floats

    def chosen(self, price: float) -> int:
        """The place of the kappa whose confidence is worth most beyond its readings."""
        return int(np.argmax(self.confidence - price * self.readings))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    parser.add_argument("--work", type=Path, default=Path("build") / "multisource")


def measure(report: Report) -> None:
    """Curves of all corpora, what their readings gain, and the kappa chosen."""
    curves = defaultdict[str, list[Curve]](list)
    seeds = 1 if report.options.quick else min(report.options.seeds, MOST_SEEDS)
    records = [drawn_record(setting, seed) for setting in DRAWN for seed in range(seeds)]
    for record in [*records, *Store(report.options.extra.work).records()]:
        subset = next((name for name in SHOWN if name in record.subsets), None)
        if subset is not None:
            curves[record.setting].append(curve_of(record, record.subsets[subset]))
            progress(f"{record.setting}, seed {record.seed}")
    means = {name: Curve(*np.mean([_stacked(curve) for curve in same], axis=0)) for name, same in curves.items()}
    _tabulate(report, means, {name: len(same) for name, same in curves.items()})
    if report.options.save is not None:
        _draw(means)


def curve_of(record: CorpusRecord, subset: Sequence[int]) -> Curve:
    """The curve of one corpus, by reliabilities that the paper's method estimated."""
    electorate, _ = replay.estimated_electorate(record, subset, "iwmv")

    def outcomes(questions: Sequence[Question], kappa: int) -> list[replay.MethodAnswer]:
        return [replay.answer_by_selection(record, question, subset, electorate, kappa) for question in questions]

    points = []
    for kappa in range(1, len(subset) + 1):
        unlabelled, tested = outcomes(record.estimation, kappa), outcomes(record.test, kappa)
        right = [
            replay.is_right(record, question, outcome.answer)
            for question, outcome in zip(record.test, tested, strict=True)
        ]
        points.append(
            (
                np.mean([outcome.readings for outcome in unlabelled]),
                np.mean([outcome.confidence for outcome in unlabelled]),
                np.mean([outcome.readings for outcome in tested]),
                np.mean(right),
            )
        )
    return Curve(*np.array(points, dtype=np.float64).T)


def _stacked(curve: Curve) -> Floats:
    return np.array([curve.readings, curve.confidence, curve.spent, curve.right])


def _tabulate(report: Report, curves: Mapping[str, Curve], seeds: Mapping[str, int]) -> None:
    gains: list[list[Cell]] = []
    choices: list[list[Cell]] = []
    for name, curve in curves.items():
        gains.append([name, *_gains(curve)])
        places = [curve.chosen(price) for price in PRICES]
        best = int(np.argmax(curve.right - PRICE * curve.spent))
        shown = [f"{place + 1}: {curve.right[place]:.3f}, {curve.spent[place]:.1f}" for place in (*places, best, -1)]
        shown[-1] = f"{curve.right[-1]:.3f}, {curve.spent[-1]:.1f}"
        choices.append([name, seeds[name], *shown])
        report.figure(f"cost/{name}/kappa", places[1] + 1)
        report.figure(f"cost/{name}/right", float(curve.right[places[1]]))
        report.figure(f"cost/{name}/right of all", float(curve.right[-1]))
        report.figure(f"cost/{name}/readings", float(curve.spent[places[1]]))
        report.figure(f"cost/{name}/readings of all", float(curve.spent[-1]))
    most = max(len(row) for row in gains)
    columns = ["", *(f"{kappa} to {kappa + 1}" for kappa in range(1, most))]
    title = "Points of confidence that a reading adds without labels (points of right answers that it added), by kappa"
    report.table(title, columns, [row + [""] * (most - len(row)) for row in gains])
    columns = ["", "seeds", *(f"price {100 * price:g}" for price in PRICES), "best at price 1, with labels", "all"]
    report.table("kappa by the price of a reading, in points: right answers, readings a question", columns, choices)


def _gains(curve: Curve) -> Iterator[str]:
    """Of every step of kappa that costs readings, the confidence and the right answers that one of them adds."""
    steps = (np.diff(values) for values in (curve.confidence, curve.readings, curve.right, curve.spent))
    for confidence, readings, right, spent in zip(*steps, strict=True):
        costs = min(readings, spent) >= LEAST
        yield f"{100 * confidence / readings:+.1f} ({100 * right / spent:+.1f})" if costs else ""


def _draw(curves: Mapping[str, Curve]) -> None:
    lines = {"right answers, test questions": ("#1b9e77", "-"), "confidence, no labels": ("#888888", "--")}
    panels = [
        Panel(
            name,
            range(1, len(curve.right) + 1),
            dict(zip(lines, (curve.right.tolist(), curve.confidence.tolist()), strict=True)),
            mark=curve.chosen(PRICE) + 1,
        )
        for name, curve in curves.items()
        if name in PLOTTED
    ]
    draw_panels(panels, PlotStyle("kappa", "", lines), PLOTS / "multisource" / "cost.png")


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="multisource.cost"), measure, add_options=add_options))
