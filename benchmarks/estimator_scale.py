"""Whether the cost of the weighted vote stays linear: `python -m benchmarks.estimator_scale 1000000`.

200 sources, a vote on six in ten of all (query, source) pairs, Beta(6, 4), 9 wrong answers, votes in random order as
arrays of int32; each size in a process of its own, one core.
"""

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.fresh import bytes_at_most, forget_peak, in_fresh_process
from benchmarks.harness import Cell, Report
from estimator import VoteMatrix, estimate

Indices = NDArray[np.int32]

SIZES = (1_000_000, 10_000_000, 100_000_000)
_SOURCES, _COVERAGE, _WRONG = 200, 0.6, 9
# Three columns of int32, the pairs they are drawn from, and the estimate: what a run takes at most, and some air.
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
    """So many votes on pairs drawn without replacement."""
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


def once(votes: int) -> dict[str, float]:
    """Seconds of one core from the arrays to the result, and bytes a vote that it took beyond them at its peak."""
    columns = draw(votes)
    forget_peak()
    before, begin = bytes_at_most(), time.process_time()
    matrix = VoteMatrix.from_triples(
        columns.query, columns.source, columns.answer, query_count=columns.query_count, source_count=_SOURCES
    )
    estimate(matrix)
    seconds = time.process_time() - begin
    return {"seconds": seconds, "votes": votes, "bytes": (bytes_at_most() - before) / votes}


def scale(report: Report) -> None:
    """The table of sizes; one that memory is short for is skipped and said so."""
    rows: list[list[Cell]] = []
    for votes in SIZES[:1] if report.options.quick else SIZES:
        needed, free = votes * _BYTES_A_VOTE, _available()
        if needed > free:
            reason = f"needs {needed / 2**30:.1f} GiB of memory, {free / 2**30:.1f} are free"
            report.rival_skipped(f"iwmv of {votes:,} votes", reason)
            continue
        found = in_fresh_process("benchmarks.estimator_scale", str(votes), limit=_LIMIT)
        if found is None:
            report.rival_skipped(f"iwmv of {votes:,} votes", f"not done after {_LIMIT:.0f} s")
            continue
        nanoseconds = found["seconds"] / votes * 1e9
        for name, value in (("seconds", found["seconds"]), ("ns_a_vote", nanoseconds), ("bytes", found["bytes"])):
            report.figure(f"scale.{votes}.{name}", value)
        rows.append([f"{votes:,}", f"{found['seconds']:.3f}", f"{nanoseconds:.1f}", f"{found['bytes']:.1f}"])
    report.table(
        "iwmv, 200 sources, coverage 0.6: cost against votes",
        ["votes", "seconds", "ns a vote", "peak bytes a vote beyond the input"],
        rows,
    )


def _available() -> float:
    """Bytes that Linux could hand out without swapping."""
    fields = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    return float(fields["MemAvailable"].split()[0]) * 1024.0


if __name__ == "__main__":
    print(json.dumps(once(int(sys.argv[1]))))
