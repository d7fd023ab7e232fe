"""`python -m benchmarks.reader.reliability`: is the compact reader right as often as it is confident?

Reliability diagrams (Guo et al. 2017, arXiv:1706.04599) on passages that no setting of the reader has seen, as a table
and as `docs/results/plots/reader_reliability.png`. A reading is right if it holds an accepted answer or is of its
answer class; from a passage without an answer none is, and from one that lies the lie is. The reader runs without its
threshold, so that the readings that it would keep to itself count too.
"""

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answering.readers import CompactReader
from benchmarks.data.splits import Part, ramdocs_examples
from benchmarks.data.squad import Example, load_squad
from benchmarks.data.web_results import WebResult
from benchmarks.harness import Benchmark, Report, run
from benchmarks.harness.plots import PLOTS, Panel, PlotStyle, draw_panels
from benchmarks.multisource.conflicts import Conflict, load_conflictnq, load_rgb

BENCHMARK = Benchmark(
    "reader.reliability", "confidence of the compact reader beside its share of right answers", "reader"
)
BINS = 10
QUICK = 60
"""Passages of each set in the quick form."""
SEED = 11
# Of fewer readings the share says little, and the plot leaves the bin out.
LEAST_DRAWN = 5
_LINES = {"as confident": ("#888888", "--"), "right": ("#1b9e77", "-")}


@dataclass(frozen=True, slots=True)
class Bin:
    """The readings of one tenth of the confidences."""

    readings: int
    confidence: float
    """Their mean."""
    right: float
    """The share that is right."""


def measure(report: Report) -> None:
    """The table and the plot of all sets."""
    reader = CompactReader(threads=1, threshold=0.0)
    sets = {name: asyncio.run(_rated(reader, _sampled(report, results))) for name, results in _sets(report).items()}
    tenths = {name: bins(*rated) for name, rated in sets.items()}
    columns = ["confidence", *(f"{name}: readings, right" for name in sets)]
    rows = [
        [f"{low / BINS:.1f} to {(low + 1) / BINS:.1f}", *(_cell(tenths[name][low]) for name in sets)]
        for low in range(BINS)
    ]
    rows.append(
        ["all: mean confidence, right", *(f"{rated[0].mean():.3f}, {rated[1].mean():.3f}" for rated in sets.values())]
    )
    rows.append(["expected calibration error", *(f"{calibration_error(tenth):.3f}" for tenth in tenths.values())])
    report.table("The confidence of the compact reader on sets that no setting has seen", columns, rows)
    if not report.options.quick:
        _draw(tenths, PLOTS / "reader_reliability.png")


def bins(confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> list[Bin | None]:
    """The tenths of the confidences (n,), with whether each reading is right (n,); None for an empty one."""
    places = np.minimum((confidence * BINS).astype(int), BINS - 1)
    members = [places == place for place in range(BINS)]
    return [
        Bin(int(inside.sum()), float(confidence[inside].mean()), float(right[inside].mean())) if inside.any() else None
        for inside in members
    ]


def calibration_error(tenths: Sequence[Bin | None]) -> float:
    """The mean distance of confidence and share of right readings over all readings."""
    filled = [tenth for tenth in tenths if tenth is not None]
    total = sum(tenth.readings for tenth in filled)
    return sum(tenth.readings * abs(tenth.confidence - tenth.right) for tenth in filled) / total


def _sets(report: Report) -> Mapping[str, list[WebResult]]:
    """By name, questions with a passage and the answers that it gives."""
    data = report.options.data
    for folder in ("ramdocs", "reader_train", "rgb", "conflictnq"):
        report.folder(folder)
    return {
        "RAMDocs, reported quarter": list(map(_of_example, ramdocs_examples(data, Part.REPORT))),
        "XQuAD-en": list(map(_of_example, load_squad(data / "reader_train" / "xquad.en.json.gz"))),
        "RGB": [result for conflict in load_rgb(data) for result in _of_conflict(conflict)],
        "ConflictNQ": [result for conflict in load_conflictnq(data) for result in _of_conflict(conflict)],
    }


def _of_example(example: Example) -> WebResult:
    return WebResult(example.question, example.passage, (example.answer,) if example.answer else ())


def _of_conflict(conflict: Conflict) -> Iterator[WebResult]:
    fact = conflict.fact
    for passages, answers in (
        (conflict.true, fact.golds),
        (conflict.false, fact.wrong[:1]),
        (conflict.noise, fact.golds),
    ):
        for passage in passages:
            yield WebResult(fact.question, passage, tuple(answers))


def _sampled(report: Report, results: Sequence[WebResult]) -> list[WebResult]:
    count = QUICK if report.options.quick else len(results)
    return random.Random(SEED).sample(list(results), min(count, len(results)))


async def _rated(reader: CompactReader, results: Sequence[WebResult]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Of every reading with an answer its confidence (n,) and whether it is right (n,)."""
    readings = [(result, await reader.read(result.question, [result.passage])) for result in results]
    rated = [(reading.confidence, result.accepts(reading.answer)) for result, reading in readings if reading.answer]
    confidence, right = zip(*rated, strict=True)
    return np.array(confidence), np.array(right)


def _cell(tenth: Bin | None) -> str:
    return f"{tenth.readings}, {tenth.right:.2f}" if tenth else "0"


def _draw(tenths: Mapping[str, Sequence[Bin | None]], path: Path) -> None:
    centres = [(place + 0.5) / BINS for place in range(BINS)]
    panels = [
        Panel(name, centres, {"as confident": centres, "right": list(map(_drawn, own))}) for name, own in tenths.items()
    ]
    ticks = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    style = PlotStyle("confidence", "right", _LINES, _square, ticks=ticks, tick_form=".1f")
    draw_panels(panels, style, path)


def _drawn(tenth: Bin | None) -> float:
    return tenth.right if tenth and tenth.readings >= LEAST_DRAWN else float("nan")


def _square(axis: Any) -> None:  # noqa: ANN401 - matplotlib ships no types
    axis.set_xlim(0, 1)
    axis.set_ylim(0, 1)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
