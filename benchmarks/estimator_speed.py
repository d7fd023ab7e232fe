"""Time and memory of estimation, every run in a process of its own: `python -m benchmarks.estimator_speed`.

D is 200 sources on 100,000 queries at coverage 0.6, K is 10 votes on each of a million queries, W is 100,000 sources
with 20 votes each; Beta(6, 4), 9 wrong answers, votes in random order. Time is that of one core, from arrays to the
result. One run alone: `python -m benchmarks.estimator_speed D 1.0 bayes`.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.estimator_rivals import RIVALS, rival_present
from benchmarks.fresh import bytes_at_most, forget_peak, in_fresh_process
from benchmarks.harness import Cell, Report, run
from estimator import Method, VoteMatrix, estimate

Integers = NDArray[np.int64]

_RUNS = 5
# A rival whose first run takes longer than this is run once, and stopped at the second.
_LONG, _LIMIT = 60.0, 400.0


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
    _run(who, votes, 1_000)  # imports are no arithmetic
    forget_peak()
    before, begin = bytes_at_most(), time.process_time()
    _run(who, votes, votes.query.size)
    seconds = time.process_time() - begin
    return {"seconds": seconds, "votes": votes.query.size, "bytes": (bytes_at_most() - before) / votes.query.size}


def _run(who: str, votes: Case, size: int) -> None:
    """The first `size` votes, from arrays to the result."""
    query, source, answer = votes.query[:size], votes.source[:size], votes.answer[:size]
    if who in RIVALS:
        RIVALS[who](query, source, answer)
    else:
        counts = {"query_count": votes.query_count, "source_count": votes.source_count}
        estimate(VoteMatrix.from_triples(query, source, answer, **counts), Method(who))


def fresh(case: str, scale: float, who: str) -> dict[str, float] | None:
    """The same in a new process on one core; None if it did not end in time."""
    return in_fresh_process("benchmarks.estimator_speed", case, str(scale), who, limit=_LIMIT)


@dataclass(frozen=True, slots=True)
class Runs:
    """Median seconds of so many runs, infinite if the first did not end, and bytes a vote beyond the input."""

    seconds: float
    count: int
    size: float
    votes: float


def repeated(case: str, scale: float, who: str, runs: int) -> Runs:
    """So many runs, or one of who takes long."""
    first = fresh(case, scale, who)
    if first is None:
        return Runs(float("inf"), 1, float("nan"), float("nan"))
    times = [first["seconds"]]
    while len(times) < runs and first["seconds"] < _LONG:
        again = fresh(case, scale, who)
        times.append(again["seconds"] if again is not None else float("inf"))
    return Runs(statistics.median(times), len(times), first["bytes"], first["votes"])


def speed(report: Report) -> None:
    """The table of times, and how many times as long the rivals take."""
    scale, runs = (0.05, 1) if report.options.quick else (1.0, _RUNS)
    present = rival_present(report)
    for case in ("D", "W") if report.options.quick else CASES:
        rivals = _rivals(case, quick=report.options.quick) if present else ()
        found = {who: repeated(case, scale, who, runs) for who in (Method.IWMV, Method.BAYES, *rivals)}
        rows: list[list[Cell]] = [
            [who, _seconds(one.seconds), one.count, f"{one.size:.0f}", *_ratios(one, [found[name] for name in rivals])]
            for who, one in found.items()
        ]
        for who, one in found.items():
            report.figure(f"seconds.{case}.{who}", one.seconds)
            report.figure(f"bytes.{case}.{who}", one.size)
        report.table(
            f"Speed, case {case}: {found[Method.IWMV].votes:,.0f} votes",
            ["who", "seconds", "runs", "bytes a vote", *(f"{rival} takes" for rival in rivals)],
            rows,
        )


def _rivals(case: str, *, quick: bool) -> tuple[str, ...]:
    # With many sources OneCoin takes a minute for the twentieth part of the votes.
    return ("crowd-kit Wawa",) if quick and case == "W" else ("crowd-kit Wawa", "crowd-kit OneCoin")


def _seconds(took: float) -> str:
    return f"{took:.3f}" if np.isfinite(took) else f"over {_LIMIT:.0f}"


def _ratios(ours: Runs, rivals: Sequence[Runs]) -> list[str]:
    if not np.isfinite(ours.seconds):
        return [""] * len(rivals)
    ratios = [min(rival.seconds, _LIMIT) / ours.seconds for rival in rivals]
    over = ["" if np.isfinite(rival.seconds) else "over " for rival in rivals]
    return [f"{more}{ratio:.1f} times as long" for more, ratio in zip(over, ratios, strict=True)]


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] in CASES:
        print(json.dumps(once(sys.argv[1], float(sys.argv[2]), sys.argv[3])))
    else:
        raise SystemExit(run("estimator_speed", speed))
