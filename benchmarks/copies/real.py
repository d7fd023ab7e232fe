"""The search for copies on votes of real sources: answers of `auto`."""

from collections.abc import Iterable

from benchmarks.data.real_sets import real_sets
from benchmarks.data.truth_sets import TruthSet
from benchmarks.harness import Cell, Report
from estimator import estimate


def measure_real(report: Report) -> None:
    """A table of all sets."""
    sets = list(real_sets(report.options.data, flights_too=not report.options.quick))
    if not sets:
        report.rival_skipped("sets of real sources", "no such set below the folder of data; name it with --data")
        return
    answers(report, sets)


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


def _listed(sizes: list[int]) -> str:
    return ", ".join(map(str, sizes)) or "none"
