"""How many reliabilities the intervals of `auto` hold, with and without the systematic band, on real and drawn votes.

Judged are sources with ten votes or more on queries with a known answer. The share of the dissent that is one standard
deviation is also chosen anew without each real set, from a grid, so that the mean coverage of the others is nearest to
0.9. The interval score (Gneiting & Raftery 2007, section 6.2, doi:10.1198/016214506000001437) is the width of a 90 %
interval, and twenty times the distance to a reliability outside: less is better.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.data.real_sets import real_sets
from benchmarks.data.truth_sets import TruthSet
from benchmarks.estimator import BENCHMARK
from benchmarks.harness import Cell, Report, run
from estimator import Estimate, estimate
from estimator.arrays.types import Flags, Floats
from estimator.identifiability import SYSTEMATIC_SHARE, systematic_band
from tests.estimator.synthetic import CopySample, CopyScenario, Prior, Sample, Scenario, draw, draw_copies

_FEWEST_JUDGED = 10
_SHARES = np.arange(0.0, 1.01, 0.05)
_OTHER_SHARE = 0.4
_COLUMNS = {
    "statistical": 0.0,
    "half": SYSTEMATIC_SHARE / 2,
    "with systematic": SYSTEMATIC_SHARE,
    f"share {_OTHER_SHARE}": _OTHER_SHARE,
    "double": 2 * SYSTEMATIC_SHARE,
}


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The estimate of a set, and what is known of its sources."""

    name: str
    result: Estimate
    right: Floats
    """(N,) share of right votes."""
    enough: Flags
    """(N,) whether there are enough to judge by."""

    def held(self, share: float) -> Floats:
        """Coverage, mean width and mean interval score of the intervals, with this share of the dissent as the standard
        deviation.
        """
        result = self.result
        systematic = (result.systematic if result.systematic is not None else 0.0) * share / SYSTEMATIC_SHARE
        lower, upper = systematic_band(result.reliability, result.lower, result.upper, systematic)
        missed = np.maximum(lower - self.right, 0.0) + np.maximum(self.right - upper, 0.0)
        figures = np.stack([missed == 0, upper - lower, upper - lower + 20 * missed])
        return np.asarray(figures[:, self.enough].mean(axis=1))


def measure_bands(report: Report) -> None:
    """A row for every set and every drawn world."""
    sets = [judged(known) for known in real_sets(report.options.data, flights_too=not report.options.quick)]
    if not sets:
        report.rival_skipped("intervals of real sources", "no such set below the folder of data; name it with --data")
    rows: list[list[Cell]] = []
    for number, known in enumerate(sets):
        share = _nearest(sets[:number] + sets[number + 1 :])
        rows.append(_row(report, known.name, [known], share))
    if sets:
        rows.append(_row(report, "mean of real sets", sets, None))
    seeds = 2 if report.options.quick else min(report.options.seeds, 10)
    for name, make in WORLDS.items():
        samples = [make(np.random.default_rng(seed)) for seed in range(seeds)]
        rows.append(_row(report, f"drawn: {name}", [_of_drawn(name, sample) for sample in samples], None))
    columns = ["set", "sources", *_COLUMNS, "chosen without this set", "share chosen"]
    report.table("Reliabilities held by intervals (mean width; interval score)", columns, rows)


def _row(report: Report, name: str, judged_sets: Sequence[Judged], left_out: float | None) -> list[Cell]:
    """The means over these of what the intervals hold, by share of the dissent."""
    shares = _COLUMNS | ({} if left_out is None else {"left out": left_out})
    cells = []
    for column, share in shares.items():
        held, width, score = np.mean([known.held(share) for known in judged_sets], axis=0)
        cells.append(f"{held:.2f} ({width:.2f}; {score:.2f})")
        for figure, value in (("held", held), ("width", width), ("score", score)):
            report.figure(f"bands.{name}.{column}.{figure}", float(value))
    chosen = [] if left_out is None else [f"{left_out:.2f}"]
    return [name, sum(int(known.enough.sum()) for known in judged_sets), *cells, *chosen]


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


def _of_drawn(name: str, sample: Sample | CopySample) -> Judged:
    right = sample.true_reliability
    return Judged(name, estimate(sample.votes, "auto"), right, np.ones(right.size, dtype=np.bool_))


def _sharing_errors(random: np.random.Generator) -> CopySample:
    """Fourteen sources, of whose errors six in ten are the same; queries differ in difficulty."""
    count = 14
    reliability = tuple(random.uniform(0.5, 0.85, count))
    scenario = CopyScenario(
        reliability, (1.0,) * count, (-1,) * count, query_count=1_000, favourite_error=0.6, difficulty=1.5
    )
    return draw_copies(scenario, random)


WORLDS: Mapping[str, Callable[[np.random.Generator], Sample | CopySample]] = {
    "independent errors, Beta(6, 4)": lambda random: draw(Scenario(9, 200, Prior.BETA), random),
    "independent errors, spammers and hammers": lambda random: draw(Scenario(9, 200), random),
    "shared errors": _sharing_errors,
}


def _nearest(sets: Sequence[Judged]) -> float:
    """The share with the mean coverage nearest to 0.9."""
    means = [np.mean([known.held(float(share))[0] for known in sets]) for share in _SHARES]
    return float(_SHARES[int(np.argmin(np.abs(np.array(means) - 0.9)))])


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure_bands))
