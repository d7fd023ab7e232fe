"""Time and memory of estimation, every run in a process of its own.

D is 200 sources on 100,000 queries at coverage 0.6, K is 10 votes on each of a million queries, S is 1,000 sources on
20,000 queries at coverage 0.6, T is 2,000 sources on 20,000 queries at coverage 0.25, W is 100,000 sources with 20
votes each; Beta(6, 4), 9 wrong answers, votes in random order. Time is that of one core, from arrays to the result.
`python -m benchmarks.estimator.speed D 1.0 one_coin` measures one run.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.estimator.rivals import RIVALS, rival_present
from benchmarks.harness import Cell, Report
from benchmarks.harness.processes import peak_bytes, reset_peak, run_alone
from estimator import VoteMatrix, estimate

Integers = NDArray[np.int64]

_RUNS = 3
# A method whose first run takes longer than `_LONG` seconds is run once; every run is stopped after `_LIMIT`.
_LONG, _LIMIT = 5.0, 400.0


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Votes as three arrays in random order."""

    query: Integers
    source: Integers
    answer: Integers
    query_count: int
    source_count: int


def _dense(
    random: np.random.Generator, scale: float, most: int = 100_000, sources: int = 200, coverage: float = 0.6
) -> tuple[Integers, Integers, int, int]:
    queries = int(most * scale)
    query, source = np.nonzero(random.random((queries, sources), dtype=np.float32) < coverage)
    return query, source, queries, sources


def _ten_each(random: np.random.Generator, scale: float) -> tuple[Integers, Integers, int, int]:
    queries = int(1_000_000 * scale)
    step = 50_000
    parts = [
        np.argpartition(random.random((min(step, queries - begin), 200), dtype=np.float32), 10, axis=1)[:, :10]
        for begin in range(0, queries, step)
    ]
    return np.repeat(np.arange(queries), 10), np.concatenate(parts).ravel(), queries, 200


def _wide(random: np.random.Generator, scale: float) -> tuple[Integers, Integers, int, int]:
    queries, sources = int(200_000 * scale), int(100_000 * scale)
    pairs = np.unique(np.repeat(np.arange(queries), 10) * sources + random.integers(sources, size=10 * queries))
    query, source = np.divmod(pairs, sources)
    return query, source, queries, sources


CASES: Mapping[str, Callable[[np.random.Generator, float], tuple[Integers, Integers, int, int]]] = {
    "D": _dense,
    "K": _ten_each,
    "S": lambda random, scale: _dense(random, scale, 20_000, 1_000),
    "T": lambda random, scale: _dense(random, scale, 20_000, 2_000, 0.25),
    "W": _wide,
}


def draw(case: str, scale: float) -> Case:
    """The votes of a case, in `scale` times its size."""
    random = np.random.default_rng(0)
    query, source, queries, sources = CASES[case](random, scale)
    reliability, truth = random.beta(6, 4, size=sources), random.integers(10, size=queries)
    right = random.random(query.size) < reliability[source]
    answer = (truth[query] + np.where(right, 0, random.integers(1, 10, size=query.size))) % 10
    mixed = random.permutation(query.size)
    return Case(query[mixed], source[mixed], answer[mixed], queries, sources)


def measure_once(case: str, scale: float, method: str) -> dict[str, float]:
    """Seconds of one core, votes, and peak memory beyond the input in bytes a vote."""
    votes = draw(case, scale)
    _run(method, votes, 1_000)  # so that imports are not measured
    reset_peak()
    before, begin = peak_bytes(), time.process_time()
    _run(method, votes, votes.query.size)
    seconds = time.process_time() - begin
    return {"seconds": seconds, "votes": votes.query.size, "bytes": (peak_bytes() - before) / votes.query.size}


def _run(method: str, votes: Case, size: int) -> None:
    """Estimate from the first `size` votes."""
    query, source, answer = votes.query[:size], votes.source[:size], votes.answer[:size]
    if method in RIVALS:
        RIVALS[method](query, source, answer)
    else:
        counts = {"query_count": votes.query_count, "source_count": votes.source_count}
        estimate(VoteMatrix.from_triples(query, source, answer, **counts), method)


@dataclass(frozen=True, slots=True)
class Runs:
    """Median seconds of the runs, infinite if the first did not end, and bytes a vote beyond the input."""

    seconds: float
    count: int
    bytes_a_vote: float
    votes: float


def repeated(case: str, scale: float, method: str, count: int) -> Runs:
    """Measure `count` times, each in a process of its own; a slow method only once."""

    def measured() -> dict[str, float] | None:
        return run_alone("benchmarks.estimator.speed", case, str(scale), method, limit=_LIMIT)

    first = measured()
    if first is None:
        return Runs(float("inf"), 1, float("nan"), float("nan"))
    times = [first["seconds"]]
    while len(times) < count and first["seconds"] < _LONG:
        again = measured()
        times.append(again["seconds"] if again is not None else float("inf"))
    return Runs(statistics.median(times), len(times), first["bytes"], first["votes"])


def measure_speed(report: Report) -> None:
    """A table for each case: seconds, memory, and how many times as long the rivals take."""
    scale, count = (0.05, 1) if report.options.quick else (1.0, _RUNS)
    present = rival_present(report)
    for case in ("D", "W") if report.options.quick else CASES:
        rivals = _rivals(case, quick=report.options.quick) if present else ()
        measured = {name: repeated(case, scale, name, count) for name in ("iwmv", "one_coin", "auto", *rivals)}
        rows: list[list[Cell]] = [
            [
                name,
                _seconds(runs.seconds),
                runs.count,
                f"{runs.bytes_a_vote:.0f}",
                f"{runs.seconds / measured['one_coin'].seconds:.1f}",
                *_ratios(runs, [measured[rival] for rival in rivals]),
            ]
            for name, runs in measured.items()
        ]
        for name, runs in measured.items():
            report.figure(f"seconds.{case}.{name}", runs.seconds)
            report.figure(f"bytes.{case}.{name}", runs.bytes_a_vote)
            for rival in rivals:
                report.figure(f"speedup.{case}.{name}.{rival}", measured[rival].seconds / runs.seconds)
        report.table(
            f"Speed, case {case}: {measured['iwmv'].votes:,.0f} votes",
            ["method", "seconds", "runs", "bytes a vote", "times one_coin", *(f"{rival} takes" for rival in rivals)],
            rows,
        )


def _rivals(case: str, *, quick: bool) -> tuple[str, ...]:
    # With many sources OneCoin takes a minute for a twentieth of the votes.
    many = case in ("S", "T") or (quick and case == "W")
    return ("crowd-kit Wawa",) if many else ("crowd-kit Wawa", "crowd-kit OneCoin")


def _seconds(took: float) -> str:
    return f"{took:.3f}" if np.isfinite(took) else f"over {_LIMIT:.0f}"


def _ratios(ours: Runs, rivals: Sequence[Runs]) -> list[str]:
    if not np.isfinite(ours.seconds):
        return [""] * len(rivals)
    ratios = [min(rival.seconds, _LIMIT) / ours.seconds for rival in rivals]
    over = ["" if np.isfinite(rival.seconds) else "over " for rival in rivals]
    return [f"{more}{ratio:.1f} times as long" for more, ratio in zip(over, ratios, strict=True)]


if __name__ == "__main__":
    print(json.dumps(measure_once(sys.argv[1], float(sys.argv[2]), sys.argv[3])))
