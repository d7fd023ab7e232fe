"""Cost of the weighted vote against the number of votes: `python -m benchmarks.estimator.scale 1000000` measures one.

200 sources, votes on 60 % of all (query, source) pairs, Beta(6, 4), 9 wrong answers, votes in random order as arrays of
int32; each size in a process of its own on one core.
"""

import json
import sys
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Cell, Report
from benchmarks.harness.processes import available_bytes, peak_bytes, reset_peak, run_alone
from estimator import VoteMatrix, estimate

Indices = NDArray[np.int32]

SIZES = (1_000_000, 10_000_000, 100_000_000)
_SOURCES, _COVERAGE, _WRONG = 200, 0.6, 9
# An upper bound: three columns of int32, the pairs they are drawn from, and the estimate.
_BYTES_A_VOTE = 48
_LIMIT = 900.0


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Votes in random order."""

    query: Indices
    source: Indices
    answer: Indices
    query_count: int


def draw(votes: int) -> Columns:
    """Votes on (query, source) pairs drawn without replacement."""
    random = np.random.default_rng(0)
    queries = round(votes / (_SOURCES * _COVERAGE))
    pairs = np.arange(queries * _SOURCES, dtype=np.uint32)
    random.shuffle(pairs)
    pairs = pairs[:votes].copy()
    query, source = (pairs // _SOURCES).astype(np.int32), (pairs % _SOURCES).astype(np.int32)
    del pairs
    reliability = random.beta(6, 4, size=_SOURCES).astype(np.float32)
    answer = random.integers(_WRONG + 1, size=queries, dtype=np.int32)[query]
    wrong = random.random(votes, dtype=np.float32) >= reliability[source]
    answer += np.where(wrong, random.integers(1, _WRONG + 1, size=votes, dtype=np.int32), np.int32(0))
    answer %= _WRONG + 1
    return Columns(query, source, answer, queries)


def measure_once(votes: int) -> dict[str, float]:
    """Seconds of one core from the arrays to the result, and its peak memory beyond them in bytes a vote."""
    columns = draw(votes)
    reset_peak()
    before, begin = peak_bytes(), time.process_time()
    matrix = VoteMatrix.from_triples(
        columns.query, columns.source, columns.answer, query_count=columns.query_count, source_count=_SOURCES
    )
    estimate(matrix, "iwmv")
    seconds = time.process_time() - begin
    return {"seconds": seconds, "votes": votes, "bytes": (peak_bytes() - before) / votes}


def measure_scale(report: Report) -> None:
    """The table of sizes; a size that does not fit into memory is skipped."""
    rows: list[list[Cell]] = []
    for votes in SIZES[:1] if report.options.quick else SIZES:
        needed, free = votes * _BYTES_A_VOTE, available_bytes()
        if needed > free:
            reason = f"needs {needed / 2**30:.1f} GiB of memory, {free / 2**30:.1f} are free"
            report.rival_skipped(f"iwmv of {votes:,} votes", reason)
            continue
        cost = run_alone("benchmarks.estimator.scale", str(votes), limit=_LIMIT)
        if cost is None:
            report.rival_skipped(f"iwmv of {votes:,} votes", f"not done after {_LIMIT:.0f} s")
            continue
        nanoseconds = cost["seconds"] / votes * 1e9
        for name, value in (("seconds", cost["seconds"]), ("ns_a_vote", nanoseconds), ("bytes", cost["bytes"])):
            report.figure(f"scale.{votes}.{name}", value)
        rows.append([f"{votes:,}", f"{cost['seconds']:.3f}", f"{nanoseconds:.1f}", f"{cost['bytes']:.1f}"])
    report.table(
        "iwmv, 200 sources, coverage 0.6: cost against votes",
        ["votes", "seconds", "ns a vote", "peak bytes a vote beyond the input"],
        rows,
    )


if __name__ == "__main__":
    print(json.dumps(measure_once(int(sys.argv[1]))))
