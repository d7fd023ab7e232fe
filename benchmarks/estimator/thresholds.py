"""What half and double of every bar do that was set by hand: `python -m benchmarks.estimator.thresholds`.

The bars of the copy search, one at a time, on real sets (precision of `auto`; chosen anew without each set) and on
drawn votes (pairs of sources joined wrongly or missed); the share of the dissent that is the systematic band, with
coverage and width by set and without it (`bands`); and the R-hat above which votes are said not to tell. Drawn are
seeds 500 and up, which choose; the sets chose the bars too.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.copies import datasets
from benchmarks.data.real_sets import real_sets
from benchmarks.data.truth_sets import TruthSet
from benchmarks.estimator import BENCHMARK
from benchmarks.estimator.bands import measure_bands
from benchmarks.harness import Cell, Report, run
from benchmarks.harness.report import progress
from estimator import Estimate, estimate
from estimator.copying import find_copies, search
from estimator.identifiability import LARGEST_R_HAT
from estimator.methods.auto import estimate_auto
from estimator.methods.member import Options
from tests.estimator.synthetic import CopySample, CopyScenario, Prior, Sample, Scenario, draw, draw_copies

FIRST_SEED = 500
HALF_AND_DOUBLE: Mapping[str, tuple[float, float, float]] = {
    "overlap": (0.15, search.OVERLAP, 0.6),
    "copied share": (0.25, search.COPIED_SHARE, 0.75),
    "allowance": (0.2, search.ALLOWANCE, 0.8),
    "joined start": (0.25, search.COPIED_SHARE, 0.75),
    "membership": (0.125, search.COPIED_SHARE**2, 0.5),
}
"""Half, as chosen, and double, or half of the rest of a share that is above a half then."""
_LINKAGES = {"joined start": "average", "membership": "complete"}
_CONSTANTS = {"overlap": "OVERLAP", "copied share": "COPIED_SHARE", "allowance": "ALLOWANCE"}
_R_HATS = (1.5, LARGEST_R_HAT, 3.0)

Draw = Callable[[np.random.Generator], CopySample]


def _star(copiers: int, rate: float, honest: float) -> Draw:
    return lambda random: draw_copies(datasets.star(copiers, rate, honest), random)


WORLDS: Mapping[str, Draw] = {
    "4 copiers, 80 %": _star(4, 0.8, 0.75),
    "8 copiers, 60 %": _star(8, 0.6, 0.75),
    "2 of 80 %, honest 0.9": _star(2, 0.8, 0.9),
    "sites": lambda random: draw_copies(datasets.sites(random, 2_000), random),
    "loose": lambda random: draw_copies(datasets.loose(random, 2_000), random),
    "blocs": lambda random: datasets.blocs(random, 3_000),
    "two good models": lambda random: draw_copies(datasets.two_good_models(random), random),
}


@contextmanager
def bar_at(bar: str, value: float) -> Iterator[None]:
    """One bar of the copy search at another value; the others as chosen."""
    bars = {kind: HALF_AND_DOUBLE[name][1] for name, kind in _LINKAGES.items()}
    if bar in _LINKAGES:
        bars[_LINKAGES[bar]] = value
    plain = search.linked_groups

    def at(pairs: Any, linked: Any, similarity: Any, _bar: float, count: int, kind: str) -> Any:  # noqa: ANN401 - as it is
        return plain(pairs, linked, similarity, bars[kind], count, kind)

    constant = {_CONSTANTS[bar]: value} if bar in _CONSTANTS else {}
    with patch.dict(vars(search), {"linked_groups": at, **constant}):
        yield


def measure_bars(report: Report) -> None:
    """Tables of real sets and of drawn worlds, a row for each value of a bar."""
    sets = list(real_sets(report.options.data, flights_too=not report.options.quick))
    if not sets:
        report.rival_skipped("bars on real sets", "no such set below the folder of data; name it with --data")
        return
    precise = {known.name: _Precision(known) for known in sets}
    precision: dict[str, dict[float, list[float]]] = defaultdict(dict)
    for bar, values in HALF_AND_DOUBLE.items():
        for value in values:
            with bar_at(bar, value):
                precision[bar][value] = [precise[known.name].of(find_copies(known.votes)[0]) for known in sets]
            progress(f"{bar} {value}: {precision[bar][value]}")
    chosen = precision["overlap"][search.OVERLAP]
    moved = [
        index
        for index in range(len(sets))
        if any(row[index] != chosen[index] for rows in precision.values() for row in rows.values())
    ]
    rows: list[list[Cell]] = []
    for bar, values in HALF_AND_DOUBLE.items():
        table = np.array([precision[bar][value] for value in values])
        for value, row in zip(values, table, strict=True):
            rows.append([bar, f"{value:g}", *(f"{row[index]:.4f}" for index in moved), f"{row.mean():.4f}"])
            report.figure(f"bars.{bar}.{value:g}.mean", float(row.mean()))
        others = table.sum(axis=1, keepdims=True) - table
        # Of values that are level the one that was chosen.
        best = np.argmax(others.round(12)[[1, 0, 2]], axis=0)
        left_out = table[[1, 0, 2]][best, np.arange(table.shape[1])]
        rows.append([bar, "chosen without the set", *(f"{left_out[i]:.4f}" for i in moved), f"{left_out.mean():.4f}"])
        report.figure(f"bars.{bar}.left_out.mean", float(left_out.mean()))
    same = ", ".join(known.name for index, known in enumerate(sets) if index not in moved) or "none"
    columns = ["bar", "value", *(sets[index].name for index in moved), f"mean of {len(sets)}"]
    report.table(f"Bars of the copy search: precision of auto (the same at all: {same})", columns, rows)


class _Precision:
    """The precision of `auto` on a set, once for all settings that find the same groups."""

    def __init__(self, known: TruthSet) -> None:
        self._known, self._found = known, dict[bytes, float]()

    def of(self, groups: NDArray[np.int64]) -> float:
        key = groups.tobytes()
        if key not in self._found:
            self._found[key] = self._known.precision(estimate_auto(self._known.votes, Options(groups=groups)).answer)
        return self._found[key]


def measure_worlds(report: Report) -> None:
    """Pairs joined wrongly and pairs missed in drawn worlds."""
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if report.options.quick else min(report.options.seeds, 5)))
    worlds = {name: [make(np.random.default_rng(seed)) for seed in seeds] for name, make in WORLDS.items()}
    alone = [list(datasets.independent(np.random.default_rng(seed)).values()) for seed in seeds]
    worlds["eight worlds without copies"] = [sample for samples in alone for sample in samples]
    rows: list[list[Cell]] = []
    for bar, values in HALF_AND_DOUBLE.items():
        for value in values:
            cells = []
            for name, samples in worlds.items():
                with bar_at(bar, value):
                    wrong = [datasets.wrong_pairs(each.groups, find_copies(each.votes)[0]) for each in samples]
                accused, missed = np.sum(wrong, axis=0).tolist()
                cells.append(f"{accused}, {missed}")
                report.figure(f"bars.{bar}.{value:g}.{name}.accused", accused)
                report.figure(f"bars.{bar}.{value:g}.{name}.missed", missed)
            rows.append([bar, f"{value:g}", *cells])
    title = f"Bars of the copy search: pairs joined wrongly and missed, {len(seeds)} seeds from {FIRST_SEED}"
    report.table(title, ["bar", "value", *worlds], rows)


def _with_reliabilities(reliability: tuple[float, ...], queries: int, wrong: int) -> Callable[..., Sample]:
    count = len(reliability)
    scenario = CopyScenario(reliability, (1.0,) * count, (-1,) * count, query_count=queries, wrong_answers=wrong)
    return lambda random: draw_copies(scenario, random)


def _worlds_to_tell() -> Mapping[str, Callable[[np.random.Generator], Sample]]:
    chance = 0.1
    worlds: dict[str, Callable[[np.random.Generator], Sample]] = {}
    for queries in (200, 5_000):
        worlds |= {
            f"one of five at 0.9, {queries:,} queries": _with_reliabilities((0.9, *[chance] * 4), queries, 9),
            f"one of five at 0.58, {queries:,} queries": _with_reliabilities((0.58, *[chance] * 4), queries, 9),
            f"two of five at 0.9, {queries:,} queries": _with_reliabilities((0.9, 0.9, *[chance] * 3), queries, 9),
            f"two of four at 0.9, {queries:,} queries": _with_reliabilities((0.9, 0.9, chance, chance), queries, 9),
            f"yes or no, one of five at 0.9, {queries:,} queries": _with_reliabilities((0.9, *[0.5] * 4), queries, 1),
            f"Beta(6, 4), four, {queries:,} queries": partial(draw, Scenario(4, queries, Prior.BETA)),
            f"spammers and hammers, four, {queries:,} queries": partial(draw, Scenario(4, queries)),
        }
    return worlds


def measure_doubt(report: Report) -> None:
    """How often each test says that votes cannot tell, and what intervals hold before they are widened for it."""
    seeds = 2 if report.options.quick else report.options.seeds
    rows: list[list[Cell]] = []
    for name, make in _worlds_to_tell().items():
        samples = [make(np.random.default_rng(FIRST_SEED + seed)) for seed in range(seeds)]
        with patch("estimator.estimation.widened", lambda _votes, result, _gold: result):
            results = [estimate(sample.votes, "auto") for sample in samples]
        gain = np.array([result.diagnostics["gain_over_chance"] for result in results])
        r_hat = np.array([result.diagnostics.get("r_hat", np.nan) for result in results])
        doubted = [(gain > 0) & (r_hat > bar) for bar in _R_HATS]
        held = np.array([_held(sample, result) for sample, result in zip(samples, results, strict=True)])
        told = ~(gain <= 0)
        cells: list[Cell] = [f"{np.mean(~told):.2f}", *(f"{np.mean(flags):.2f}" for flags in doubted)]
        cells += [_mean(held[~told]), _mean(held[doubted[0]]), _mean(held[told & ~doubted[0]])]
        sampled = "yes" if np.isfinite(r_hat).all() else "no" if np.isnan(r_hat).all() else "some"
        rows.append([name, sampled, *cells])
        report.figure(f"doubt.{name}.gain", float(np.mean(~told)))
        for bar, flags in zip(_R_HATS, doubted, strict=True):
            report.figure(f"doubt.{name}.r_hat above {bar:g}", float(np.mean(flags)))
    bars = [f"told, R-hat above {bar:g}" for bar in _R_HATS]
    held_columns = ["intervals hold: no gain", f"R-hat above {_R_HATS[0]:g}", "neither"]
    columns = ["world", "sampled", "no gain over chance", *bars, *held_columns]
    report.table(f"Votes that cannot tell: share of samples that are doubted, {seeds} seeds", columns, rows)


def _held(sample: Sample, result: Estimate) -> float:
    """Share of the reliabilities in their intervals."""
    truth = sample.true_reliability
    return float(((result.lower <= truth) & (truth <= result.upper)).mean())


def _mean(values: NDArray[np.float64]) -> str:
    return f"{values.mean():.2f}" if values.size else ""


def measure_thresholds(report: Report) -> None:
    """All tables."""
    measure_bars(report)
    measure_worlds(report)
    measure_bands(report)
    measure_doubt(report)


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="estimator.thresholds"), measure_thresholds))
