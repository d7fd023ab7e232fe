"""How many reliabilities of real sources the intervals of `auto` hold, with and without the systematic band.

Judged are sources with ten votes or more on queries with a known answer. The share of the dissent that is one standard
deviation is also chosen anew without each set, from a grid, so that the mean coverage of the others is nearest to 0.9.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.data.real_sets import real_sets
from benchmarks.data.truth_sets import TruthSet
from benchmarks.harness import Cell, Report
from estimator import Estimate, estimate
from estimator.arrays.types import Flags, Floats
from estimator.identifiability import SYSTEMATIC_SHARE, systematic_band

_FEWEST_JUDGED = 10
_SHARES = np.arange(0.0, 1.01, 0.05)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The estimate of a set, and what is known of its sources."""

    name: str
    result: Estimate
    right: Floats
    """(N,) share of right votes."""
    enough: Flags
    """(N,) whether there are enough to judge by."""

    def held(self, share: float) -> tuple[float, float]:
        """Coverage and mean width of the intervals, with this share of the dissent as the standard deviation."""
        result = self.result
        systematic = (result.systematic if result.systematic is not None else 0.0) * share / SYSTEMATIC_SHARE
        lower, upper = systematic_band(result.reliability, result.lower, result.upper, systematic)
        inside = (lower <= self.right) & (self.right <= upper)
        return float(inside[self.enough].mean()), float((upper - lower)[self.enough].mean())


def measure_bands(report: Report) -> None:
    """A row for every set."""
    sets = [judged(known) for known in real_sets(report.options.data, flights_too=not report.options.quick)]
    if not sets:
        report.rival_skipped("intervals of real sources", "no such set below the folder of data; name it with --data")
        return
    rows: list[list[Cell]] = []
    for number, known in enumerate(sets):
        share = _nearest(sets[:number] + sets[number + 1 :])
        cells = [known.held(0.0), known.held(SYSTEMATIC_SHARE), known.held(share)]
        shown = [f"{held:.2f} ({width:.2f})" for held, width in cells]
        rows.append([known.name, int(known.enough.sum()), *shown, f"{share:.2f}"])
        report.figure(f"bands.{known.name}.statistical", cells[0][0])
        report.figure(f"bands.{known.name}.with_systematic", cells[1][0])
    for name, share in (("statistical", 0.0), ("with_systematic", SYSTEMATIC_SHARE)):
        report.figure(f"bands.mean.{name}", float(np.mean([known.held(share)[0] for known in sets])))
    for name, share in (("half", SYSTEMATIC_SHARE / 2), ("double", 2 * SYSTEMATIC_SHARE)):
        report.figure(f"bands.mean.{name}", float(np.mean([known.held(share)[0] for known in sets])))
    columns = ["set", "sources", "statistical", "with systematic", "chosen without this set", "share chosen"]
    report.table("Real sources: reliabilities held by intervals (mean width)", columns, rows)


def judged(known: TruthSet) -> Judged:
    """Estimate and compare."""
    votes = known.votes
    pairs = zip(votes.class_query.tolist(), votes.class_answer.tolist(), strict=True)
    truth = np.array([
        answer in known.accepted[query] if query in known.accepted else np.nan for query, answer in pairs
    ])  # fmt: skip
    of_vote = truth[votes.vote_class]
    judged_votes = ~np.isnan(of_vote)
    count = np.bincount(votes.source[judged_votes], minlength=votes.source_count)
    right = np.bincount(votes.source[judged_votes], of_vote[judged_votes], votes.source_count)
    return Judged(known.name, estimate(votes, "auto"), right / np.maximum(count, 1), count >= _FEWEST_JUDGED)


def _nearest(sets: Sequence[Judged]) -> float:
    """The share with the mean coverage nearest to 0.9."""
    means = [np.mean([known.held(float(share))[0] for known in sets]) for share in _SHARES]
    return float(_SHARES[int(np.argmin(np.abs(np.array(means) - 0.9)))])
