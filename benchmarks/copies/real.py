"""The search for copies on votes of real sources: answers of `auto`, and what half and double of each setting do."""

from collections.abc import Iterable, Mapping

import numpy as np

from benchmarks.copies.thresholds import SEARCHES
from benchmarks.data.real_sets import real_sets
from benchmarks.data.truth_sets import TruthSet
from benchmarks.harness import Cell, Report
from estimator import estimate
from estimator.arrays.types import Integers
from estimator.group_votes import collapse
from estimator.methods.auto import estimate_auto
from estimator.methods.member import Options


def measure_real(report: Report) -> None:
    """A table of all sets, and one of those in which a setting changes who is joined."""
    sets = list(real_sets(report.options.data, flights_too=not report.options.quick))
    if not sets:
        report.rival_skipped("sets of real sources", "no such set below the folder of data; name it with --data")
        return
    answers(report, sets)
    settings(report, sets)


def answers(report: Report, sets: Iterable[TruthSet]) -> None:
    """Precision of the answers with and without the search, and the sizes of the groups."""
    rows: list[list[Cell]] = []
    for known in sets:
        results = {method: estimate(known.votes, method) for method in ("majority", "one_coin", "auto")}
        scores = {method: known.precision(result.answer) for method, result in results.items()}
        sizes = sorted((len(group.members) for group in results["auto"].copies), reverse=True)
        rows.append([known.name, f"{known.votes.vote_count:,}", *map("{:.3f}".format, scores.values()), _listed(sizes)])
        for method, score in scores.items():
            report.figure(f"real.{known.name}.{method}", score)
        report.figure(f"real.{known.name}.sources_joined", sum(sizes))
    report.table(
        "Real sources: precision", ["set", "votes", "majority", "one_coin", "auto", "copy groups of auto"], rows
    )


def settings(report: Report, sets: Iterable[TruthSet]) -> None:
    """A row for every setting of the search, a column for every set in which one of them joins anybody."""
    columns: dict[str, dict[str, str]] = {}
    for known in sets:
        groups = {setting: search(known.votes).groups for setting, search in SEARCHES.items()}
        if any((labels != np.arange(labels.size)).any() for labels in groups.values()):
            columns[known.name] = _precisions(report, known, groups)
    rows = [[setting, *(column[setting] for column in columns.values())] for setting in SEARCHES]
    report.table("Half and double of the settings, real sources: precision", ["setting", *columns], rows)


def _precisions(report: Report, known: TruthSet, groups: Mapping[str, Integers]) -> dict[str, str]:
    by_groups: dict[bytes, float] = {}
    cells = {}
    for setting, labels in groups.items():
        key = labels.tobytes()
        if key not in by_groups:
            by_groups[key] = known.precision(estimate_auto(collapse(known.votes, labels), _alone(labels)).answer)
        cells[setting] = f"{by_groups[key]:.3f}"
        report.figure(f"settings.{setting}.{known.name}", by_groups[key])
    return cells


def _alone(labels: Integers) -> Options:
    """Options that look for no further copies."""
    return Options(groups=np.arange(int(labels.max()) + 1))


def _listed(sizes: list[int]) -> str:
    return ", ".join(map(str, sizes)) or "none"
