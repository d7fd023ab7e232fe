"""Time of a run with one per cent further votes beside that of a run over all of them, and how far the two differ.

The cases are those of `speed`. The further votes are on new queries, or on any; times are processor seconds of one core
from arrays to the result, and the further votes alone are sorted in.
"""

import json
import sys
import time

import numpy as np

from benchmarks.estimator.speed import Case, Flags, draw
from benchmarks.harness import Cell, Report
from benchmarks.harness.processes import run_alone
from estimator import Estimate, VoteMatrix, estimate

_NEW = 0.01
_LIMIT = 400.0


def measure_once(case: str, scale: float, where: str) -> dict[str, float]:
    """Seconds of a run over all votes and of one with further votes, and how their results differ."""
    votes = draw(case, scale)
    is_new = _further(votes, where)
    first = _matrix(votes, ~is_new)
    base = estimate(first, "auto")
    begin = time.process_time()
    full = estimate(_matrix(votes, np.ones_like(is_new)), "auto")
    between = time.process_time()
    further = (column[is_new] for column in (votes.query, votes.source, votes.answer))
    increment = estimate(first.extended(*further), "auto", previous=base)
    seconds = {"full": between - begin, "increment": time.process_time() - between}
    return {"votes": votes.query.size, **seconds, **_differences(full, increment)}


def _further(votes: Case, where: str) -> Flags:
    if where == "new queries":
        return votes.query >= (1 - _NEW) * votes.query_count
    flags: Flags = np.arange(votes.query.size) >= (1 - _NEW) * votes.query.size  # the votes are in random order
    return flags


def _matrix(votes: Case, chosen: Flags) -> VoteMatrix:
    columns = (column[chosen] for column in (votes.query, votes.source, votes.answer))
    return VoteMatrix.from_triples(*columns, query_count=votes.query_count, source_count=votes.source_count)


def _differences(full: Estimate, increment: Estimate) -> dict[str, float]:
    error = (full.upper - full.lower) / 3.29
    return {
        "moved": float((np.abs(increment.reliability - full.reliability) / error).max()),
        "same_answers": float((increment.answer == full.answer).mean()),
    }


def measure_increment(report: Report) -> None:
    """A table: seconds of both runs, their ratio, and the differences."""
    scale, rows = (0.05 if report.options.quick else 1.0), list[list[Cell]]()
    for case in ("K", "W") if report.options.quick else ("S", "T", "K", "W"):
        for where in ("new queries", "any query"):
            run = run_alone("benchmarks.estimator.increment", case, str(scale), where, limit=_LIMIT)
            if run is None:
                continue
            report.figure(f"increment.{case}.{where.replace(' ', '_')}", run["increment"] / run["full"])
            rows.append(
                [
                    f"{case}, {where}",
                    f"{run['votes']:,.0f}",
                    f"{run['full']:.2f}",
                    f"{run['increment']:.2f}",
                    f"{run['increment'] / run['full']:.2f}",
                    f"{run['moved']:.3f}",
                    f"{run['same_answers']:.5f}",
                ]
            )
    columns = ["case", "votes", "full", "1 % new", "ratio", "largest difference, standard errors", "same answers"]
    report.table("auto with one per cent further votes", columns, rows)


if __name__ == "__main__":
    print(json.dumps(measure_once(sys.argv[1], float(sys.argv[2]), sys.argv[3])))
