"""`python -m benchmarks.poisoning`: how many liars it takes until half of their targets are adopted.

200 queries, 9, 30 and 100 honest sources, ten targets, six attacks (`worlds`), our methods, crowd-kit and two defences
of retrieval on votes (`methods`); what the run says before that, and whom it names.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.estimator.rivals import rival_present
from benchmarks.harness import Cell, Report, run
from benchmarks.harness.options import count
from benchmarks.harness.plots import PLOTS, Panel, PlotStyle, draw_panels
from benchmarks.harness.report import progress
from benchmarks.poisoning import BENCHMARK
from benchmarks.poisoning.latecomers import measure_latecomers
from benchmarks.poisoning.methods import Method, Outcome, methods
from benchmarks.poisoning.worlds import ATTACKS, World, draw

HONEST = (9, 30, 100)
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.2, 1.8, 2.4)
"""Liars as shares of the honest sources."""
QUICK_SHARES = (0.6,)
FIRST_SEED = 2_000
"""Seeds below this chose what is measured here."""
ADOPTED = 0.9
LINES = {
    "majority": ("#888888", "-"),
    "independent set": ("#888888", ":"),
    "isolate-and-aggregate": ("#7b5ea7", ":"),
    "iwmv": ("#b04a3a", "-"),
    "crowd-kit OneCoin": ("#d98e2b", ":"),
    "one_coin": ("#d98e2b", "-"),
    "auto": ("#1b9e77", "-"),
}
"""Of the targets: more liars are not tried."""


@dataclass(slots=True)
class Curve:
    """What became of one attack on one method as liars joined."""

    liars: list[int] = field(default_factory=list)
    adoption: list[float] = field(default_factory=list)
    warned: list[float] = field(default_factory=list)
    """Share of the runs that warned."""
    named: list[float] = field(default_factory=list)
    """Share of the liars that were named, and of honest sources in the next."""
    accused: list[float] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)

    def add(self, liars: int, worlds: Sequence[World], outcomes: Sequence[Outcome]) -> None:
        """One more number of liars."""
        both = list(zip(worlds, outcomes, strict=True))
        self.liars.append(liars)
        self.adoption.append(float(np.mean([world.adoption(outcome.answer) for world, outcome in both])))
        self.accuracy.append(float(np.mean([world.accuracy(outcome.answer) for world, outcome in both])))
        self.warned.append(float(np.mean([outcome.warned for outcome in outcomes])))
        honest = [sum(source < world.honest for source in outcome.named) for world, outcome in both]
        named = [len(outcome.named) - count for (_, outcome), count in zip(both, honest, strict=True)]
        self.named.append(float(np.mean(named)) / max(liars, 1))
        self.accused.append(float(np.mean(honest)) / worlds[0].honest)

    @property
    def ended(self) -> bool:
        """Whether more liars change nothing."""
        return bool(self.adoption) and self.adoption[-1] >= ADOPTED

    def first_half(self) -> float | None:
        """Liars until half of the targets are adopted, between two numbers that were tried; None where none was."""
        for place, share in enumerate(self.adoption):
            if share >= 0.5:
                if place == 0:
                    return float(self.liars[0])
                before, liars = self.adoption[place - 1], self.liars[place - 1 : place + 1]
                return float(np.interp(0.5, (before, share), liars))
        return None


def curves_of(attack: str, honest: int, report: Report, known: Mapping[str, Method]) -> dict[str, Curve]:
    """By method, what an attack on so many honest sources leads to."""
    quick = report.options.quick
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if quick else report.options.seeds))
    curves = {name: Curve() for name in known}
    for liars in (max(round(share * honest), 1) for share in (QUICK_SHARES if quick else SHARES)):
        worlds = [draw(attack, honest, liars, seed) for seed in seeds]
        for name, curve in curves.items():
            if not curve.ended:
                curve.add(liars, worlds, [known[name](world) for world in worlds])
    progress(f"{attack}, {honest} honest sources: done")
    return curves


def k_text(curve: Curve) -> str:
    """How many liars it takes, for a table."""
    k = curve.first_half()
    return f"over {curve.liars[-1]}" if k is None else f"{k:.0f}"


def k_tables(report: Report, measured: Mapping[tuple[str, int], dict[str, Curve]], names: Sequence[str]) -> None:
    """For each attack a row, for each method a cell with k by honest sources."""
    rows: list[list[Cell]] = []
    sizes = sorted({honest for _, honest in measured})
    for attack in dict.fromkeys(attack for attack, _ in measured):
        cells = (" / ".join(k_text(measured[attack, honest][name]) for honest in sizes) for name in names)
        rows.append([attack, *cells])
    report.table(
        f"Liars until half of the targets are adopted, {' / '.join(map(str, sizes))} honest sources",
        ["attack", *names],
        rows,
    )
    for (attack, honest), curves in measured.items():
        for name, curve in curves.items():
            k = curve.first_half()
            # Where it was not reached, the most liars that were tried: k is more than that.
            report.figure(f"{attack}.{honest}.{name}.k", float(curve.liars[-1]) if k is None else k)


def warning_table(report: Report, measured: Mapping[tuple[str, int], dict[str, Curve]], name: str) -> None:
    """What a method says as liars join."""
    rows: list[list[Cell]] = []
    for (attack, honest), curves in measured.items():
        curve = curves[name]
        below = [share for share, adoption in zip(curve.warned, curve.adoption, strict=True) if adoption < 0.5]
        report.figure(f"{attack}.{honest}.{name}.warned", float(np.mean(below)) if below else 0.0)
        columns = curve.warned, curve.named, curve.accused, curve.accuracy
        rows.append(
            [
                attack,
                honest,
                " ".join(map(str, curve.liars)),
                *(" ".join(f"{value:.2f}" for value in values) for values in (curve.adoption, *columns)),
            ]
        )
    report.table(
        f"{name} by the number of liars: targets adopted, runs that warn, liars and honest ones named, other queries",
        ["attack", "honest", "liars", "adopted", "warned", "liars named", "honest named", "right elsewhere"],
        rows,
    )


def false_warnings(report: Report, known: Mapping[str, Method]) -> None:
    """Warnings where nobody lies."""
    rows: list[list[Cell]] = []
    for honest in report.options.extra.honest[: 1 if report.options.quick else None]:
        seeds = range(FIRST_SEED, FIRST_SEED + (1 if report.options.quick else report.options.seeds))
        warned = [known["auto"](draw("exact copies", honest, 0, seed)).warned for seed in seeds]
        rows.append([honest, f"{sum(warned)} of {len(warned)}"])
        report.figure(f"honest.{honest}.auto.warned", float(np.mean(warned)))
    report.table("Runs that warn where nobody lies", ["honest", "warn"], rows)


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many honest sources there are, and what is tried on them."""
    parser.add_argument("--honest", type=count, nargs="+", default=HONEST, help="honest sources (default 9 30 100)")
    parser.add_argument("--attacks", nargs="+", default=list(ATTACKS), choices=list(ATTACKS), help="default all")
    parser.add_argument("--methods", nargs="+", help="methods by their names (default all)")
    parser.add_argument("--confidence", action="store_true", help="only how sure the service is of lies")


def measure(report: Report) -> None:
    """All parts of the benchmark."""
    chosen = report.options.extra
    if chosen.confidence or chosen.methods is None:
        measure_latecomers(report, FIRST_SEED)
    if chosen.confidence:
        return
    known = methods(crowd_kit=rival_present(report))
    known = {name: method for name, method in known.items() if name in (chosen.methods or known)}
    measured = {
        (attack, honest): curves_of(attack, honest, report, known)
        for attack in chosen.attacks
        for honest in report.options.extra.honest[: 1 if report.options.quick else None]
    }
    k_tables(report, measured, list(known))
    for name in known:
        if name.startswith("auto") and name != "auto, asked":
            warning_table(report, measured, name)
    if chosen.methods is None:
        false_warnings(report, known)
    if not report.options.quick and chosen.methods is None and len(chosen.attacks) == len(ATTACKS):
        panels: defaultdict[str, dict[str, list[float]]] = defaultdict(dict)
        drawn = 30 if 30 in report.options.extra.honest else report.options.extra.honest[0]
        liars = [max(round(share * drawn), 1) for share in SHARES]
        for attack in list(ATTACKS)[:4]:
            for name, curve in measured[attack, drawn].items():
                panels[attack][name] = [*curve.adoption, *[float("nan")] * len(liars)][: len(liars)]
        style = PlotStyle("liars beside the honest sources", "targets adopted", LINES, _limit)
        drawn = [Panel(attack, liars, curves) for attack, curves in panels.items()]
        draw_panels(drawn, style, PLOTS / "poisoning.png")


def _limit(axis: Any) -> None:  # noqa: ANN401 - matplotlib ships no types
    axis.set_ylim(-0.02, 1.02)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
