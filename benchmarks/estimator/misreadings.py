"""Errors of the reader apart from those of sources: `python -m benchmarks.estimator.misreadings` measures this alone.

Nine sources state right answers with known probabilities, and a reader reads what they state, or errs with a
probability that it knows. The estimate of what sources state is compared: of all votes as if none was misread, of those
alone that are more probably read rightly than not, and of all votes with their probabilities. Misreadings name any
answer; where they are alike, seven in ten name one and the same wrong answer to a query. Where the reader is too sure
of itself, the odds of a misreading that it gives are a third of the true ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.estimator import BENCHMARK
from benchmarks.harness import Report, run
from estimator import Estimate, VoteMatrix, estimate

Floats = NDArray[np.float64]

_LIES: Final = np.array([0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.6, 0.1, 0.2])
_MISREAD: Final = np.array([0.1, 0.2, 0.3, 0.1, 0.4, 0.2, 0.3, 0.5, 0.1])
_ANSWERS: Final = 10
_COVERAGE: Final = 0.7
_WAYS: Final = ("all votes as read", "probably read rightly alone", "told apart")


@dataclass(frozen=True, slots=True)
class Reading:
    """How the reader errs."""

    queries: int = 200
    rate: float = 1.0
    """Times the rates of misreading."""
    alike: float = 0.0
    """Share of misreadings that name one wrong answer to a query."""
    odds: float = 1.0
    """Times the odds of a misreading, as the reader says them."""


WORLDS: Mapping[str, Reading] = {
    "the reader knows how often it errs": Reading(),
    "the same, 30 queries": Reading(queries=30),
    "misreadings alike": Reading(alike=0.7),
    "the reader too sure": Reading(odds=1 / 3),
    "hardly any misreading": Reading(rate=0.05),
}


def estimates(reading: Reading, random: np.random.Generator) -> tuple[dict[str, Estimate], Floats, NDArray[np.int64]]:
    """The estimates of one draw in every way, the shares (N,) of right statements, and the right answers."""
    count, queries = _LIES.size, reading.queries
    truth = random.integers(_ANSWERS, size=queries)
    query, source = np.nonzero(random.random((queries, count)) < _COVERAGE)
    mean = reading.rate * _MISREAD[source]
    misread = random.beta(3 * mean, 3 * (1 - mean))
    lies = random.random(query.size) < _LIES[source]
    stated = (truth[query] + lies * random.integers(1, _ANSWERS, size=query.size)) % _ANSWERS
    common = (truth + random.integers(1, _ANSWERS, size=queries)) % _ANSWERS
    is_common = random.random(query.size) < reading.alike
    wrong = np.where(is_common, common[query], random.integers(_ANSWERS, size=query.size))
    answer = np.where(random.random(query.size) < misread, wrong, stated)
    order = np.lexsort((source, answer, query))
    query, source, answer, stated = query[order], source[order], answer[order], stated[order]
    odds = reading.odds * misread[order] / (1 - misread[order])
    said = odds / (1 + odds)

    def votes(kept: NDArray[np.bool_]) -> VoteMatrix:
        return VoteMatrix.from_triples(query[kept], source[kept], answer[kept], query_count=queries, source_count=count)

    every = votes(np.ones(query.size, dtype=np.bool_))
    given = (every, votes(said < 0.5), every.with_misreadings(said))
    shares = np.bincount(source, stated == truth[query], minlength=count) / np.bincount(source, minlength=count)
    return {way: estimate(each, "auto") for way, each in zip(_WAYS, given, strict=True)}, shares, truth


def measure_misreadings(report: Report) -> None:
    """The table of all worlds."""
    seeds = range(3 if report.options.quick else min(report.options.seeds, 20))
    rows = []
    for world, reading in WORLDS.items():
        figures: dict[str, list[tuple[float, float, float]]] = {way: [] for way in _WAYS}
        for seed in seeds:
            found, shares, truth = estimates(reading, np.random.default_rng(seed))
            for way, result in found.items():
                error = float(np.abs(result.reliability - shares).mean())
                held = float(((result.lower <= shares) & (shares <= result.upper)).mean())
                figures[way].append((error, held, float((result.answer == truth).mean())))
        for way, values in figures.items():
            error, held, right = np.mean(values, axis=0).tolist()
            report.figure(f"misreadings.{world}.{way}.error", error)
            rows.append([world, way, f"{error:.3f}", f"{held:.2f}", f"{right:.3f}"])
    columns = ["world", "votes", "mean error of right statements", "in the 90 % interval", "right answers"]
    report.table(f"Misreadings told from errors of sources, {len(seeds)} seeds", columns, rows)


if __name__ == "__main__":
    raise SystemExit(run(replace(BENCHMARK, name="estimator.misreadings"), measure_misreadings))
