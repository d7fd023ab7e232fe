"""Time and memory of estimation, every run in a process of its own: `python -m benchmarks.estimator_speed D 1.0 bayes`.

D is 200 sources on 100,000 queries at coverage 0.6, K is 10 votes on each of a million queries, W is 100,000 sources
with 20 votes each; Beta(6, 4), 9 wrong answers, votes in random order. Time is that of one core, from arrays to the
result.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.estimator_rivals import RIVALS, rival_present
from benchmarks.harness import Cell, Report
from estimator import Method, VoteMatrix, estimate

Integers = NDArray[np.int64]

_RUNS = 5
# A rival whose first run takes longer than this is run once, and stopped at the second.
_LONG, _LIMIT = 10.0, 600.0


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Votes as three arrays in random order."""

    query: Integers
    source: Integers
    answer: Integers
    query_count: int
    source_count: int


def _dense(random: np.random.Generator, scale: float) -> tuple[Integers, Integers, int, int]:
    queries = int(100_000 * scale)
    query, source = np.nonzero(random.random((queries, 200), dtype=np.float32) < 0.6)
    return query, source, queries, 200


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
    "W": _wide,
}


def draw(case: str, scale: float) -> Case:
    """Votes of a case, `scale` times as many as it says."""
    random = np.random.default_rng(0)
    query, source, queries, sources = CASES[case](random, scale)
    reliability, truth = random.beta(6, 4, size=sources), random.integers(10, size=queries)
    right = random.random(query.size) < reliability[source]
    answer = (truth[query] + np.where(right, 0, random.integers(1, 10, size=query.size))) % 10
    mixed = random.permutation(query.size)
    return Case(query[mixed], source[mixed], answer[mixed], queries, sources)


def once(case: str, scale: float, who: str) -> dict[str, float]:
    """Seconds of one core, votes, and what memory grew by over the input, in bytes a vote."""
    votes = draw(case, scale)
    if who.startswith("crowd-kit"):
        RIVALS[who](votes.query[:1000], votes.source[:1000], votes.answer[:1000])  # imports are no arithmetic
    _forget_peak()
    before, begin = _peak(), time.process_time()
    if who.startswith("crowd-kit"):
        RIVALS[who](votes.query, votes.source, votes.answer)
    else:
        counts = {"query_count": votes.query_count, "source_count": votes.source_count}
        estimate(VoteMatrix.from_triples(votes.query, votes.source, votes.answer, **counts), Method(who))
    seconds = time.process_time() - begin
    return {"seconds": seconds, "votes": votes.query.size, "bytes": (_peak() - before) / votes.query.size}


def _peak() -> float:
    """Bytes that were resident at most; Linux forgets the peak on request, so that drawing the votes leaves none."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return float(fields["VmHWM"].split()[0]) * 1024.0


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def fresh(case: str, scale: float, who: str) -> dict[str, float] | None:
    """The same in a new process on one core; None if it did not end in time."""
    command = [sys.executable, "-m", "benchmarks.estimator_speed", case, str(scale), who]
    one_core = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    try:
        done = subprocess.run(
            command, env=os.environ | one_core, check=True, capture_output=True, text=True, timeout=_LIMIT
        )
    except subprocess.TimeoutExpired:
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def repeated(case: str, scale: float, who: str, runs: int) -> tuple[float, int]:
    """Median seconds of the runs made, infinite if the first did not end, and how many they were."""
    first = fresh(case, scale, who)
    if first is None:
        return float("inf"), 1
    times = [first["seconds"]]
    while len(times) < runs and first["seconds"] < _LONG:
        again = fresh(case, scale, who)
        times.append(again["seconds"] if again is not None else float("inf"))
    return statistics.median(times), len(times)


def speed(report: Report) -> None:
    """The table of times, and how many times as long the rivals take."""
    scale, runs = (0.05, 1) if report.options.quick else (1.0, _RUNS)
    present = rival_present(report)
    for case in ("D", "W") if report.options.quick else CASES:
        rivals = _rivals(case, quick=report.options.quick) if present else ()
        times = {who: repeated(case, scale, who, runs) for who in (Method.IWMV, Method.BAYES, *rivals)}
        votes = fresh(case, scale, Method.IWMV)
        rows: list[list[Cell]] = [
            [who, _seconds(took), count, *_ratios(took, times, rivals)] for who, (took, count) in times.items()
        ]
        for who, (took, _) in times.items():
            report.figure(f"seconds.{case}.{who}", took)
        size = "" if votes is None else f"{votes['votes']:,.0f} votes; iwmv's peak {votes['bytes']:.0f} bytes a vote"
        report.table(
            f"Speed, case {case}: {size}",
            ["who", "seconds", "runs", *(f"{rival} takes" for rival in rivals)],
            rows,
        )


def _rivals(case: str, *, quick: bool) -> tuple[str, ...]:
    # With many sources OneCoin takes a minute for the twentieth part of the votes.
    return ("crowd-kit Wawa",) if quick and case == "W" else ("crowd-kit Wawa", "crowd-kit OneCoin")


def _seconds(took: float) -> str:
    return f"{took:.3f}" if np.isfinite(took) else f"over {_LIMIT:.0f}"


def _ratios(took: float, times: Mapping[str, tuple[float, int]], rivals: tuple[str, ...]) -> list[str]:
    ratios = [min(times[rival][0], _LIMIT) / min(took, _LIMIT) for rival in rivals]
    over = ["over " if not np.isfinite(times[rival][0]) else "" for rival in rivals]
    return [f"{more}{ratio:.1f} times as long" for more, ratio in zip(over, ratios, strict=True)]


if __name__ == "__main__":
    print(json.dumps(once(sys.argv[1], float(sys.argv[2]), sys.argv[3])))
