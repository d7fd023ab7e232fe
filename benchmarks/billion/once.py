"""One fit: `python -m benchmarks.billion.once FOLDER METHOD ENGINE` prints its times and its errors.

ENGINE is `memory` for `estimator.estimate` on all votes, `local` for this engine in one process, or the number of
workers of Ray, of which `--kill` kills one in the third round. With the method `reading`, files are only read.
"""

import argparse
import hashlib
import json
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.billion.world import World
from estimator import VoteMatrix, estimate
from estimator.distributed import estimate_files
from estimator.distributed.ray_workers import RayWorkers
from estimator.distributed.workers import LocalWorkers, Stage, Workers

_KILLED_ROUND: Final = 3
_ENOUGH_VOTES: Final = 1_000
"""Of a source whose estimate is compared with the truth."""

Floats = NDArray[np.float64]


class Times:
    """Seconds of a fit, by what it reports of itself."""

    def __init__(self, engine: str, *, kill: bool) -> None:
        self._engine, self._kill = engine, kill
        self._last = time.perf_counter()
        self.start = self.read = 0.0
        self.rounds: list[float] = []

    def workers(self, paths: Sequence[str], rows: Sequence[int], memory: int) -> Workers:
        """Start the workers."""
        if self._engine == "local":
            self._workers: Workers = LocalWorkers(paths, memory)
        else:
            self._workers = RayWorkers(paths, rows, memory, int(self._engine))
        self.start = self._lap()
        return self._workers

    def progress(self, stage: Stage, _done: int) -> None:
        """A file was read, or a round is done."""
        seconds = self._lap()
        if stage is Stage.READING:
            self.read += seconds
            return
        self.rounds.append(seconds)
        if self._kill and len(self.rounds) == _KILLED_ROUND - 1 and isinstance(self._workers, RayWorkers):
            threading.Timer(seconds / 2, os.kill, (_pid(self._workers.actors[0]), signal.SIGKILL)).start()

    def _lap(self) -> float:
        last, self._last = self._last, time.perf_counter()
        return self._last - last


def main() -> None:
    """Print the figures of one fit as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("method")
    parser.add_argument("engine")
    parser.add_argument("--memory", type=int, default=4 << 30)
    parser.add_argument("--kill", action="store_true")
    given = parser.parse_args()
    paths = sorted(map(str, given.folder.glob("*.parquet")))
    figures: Mapping[str, float | str]
    if given.method == "reading":
        figures = _reading(paths)
    elif given.engine == "memory":
        figures = _in_memory(paths, given.method)
    else:
        figures = _fit(paths, given)
    print(json.dumps(figures), flush=True)


def _reading(paths: list[str]) -> dict[str, float]:
    began = time.perf_counter()
    votes = sum(pq.read_table(path, use_threads=False).num_rows for path in paths)
    return {"seconds": time.perf_counter() - began, "votes": votes}


def _in_memory(paths: list[str], method: str) -> dict[str, float]:
    began = time.perf_counter()
    tables = [pq.read_table(path, use_threads=False) for path in paths]
    columns = [
        np.concatenate([table.column(name).to_numpy() for table in tables]) for name in ("query", "source", "answer")
    ]
    del tables
    query, source, answer = columns
    votes = VoteMatrix.from_triples(
        query, source, answer, query_count=int(query.max()) + 1, source_count=int(source.max()) + 1
    )
    del query, source, answer, columns
    result = estimate(votes, method)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "rounds": result.rounds, "error": _error(result.reliability, result.vote_count)}


def _fit(paths: list[str], given: argparse.Namespace) -> dict[str, float | str]:
    times, began = Times(given.engine, kill=given.kill), time.perf_counter()
    result = estimate_files(paths, given.method, workers=times.workers, memory=given.memory, progress=times.progress)
    seconds = time.perf_counter() - began
    reliability, votes = np.full(World(0).sources, np.nan), np.zeros(World(0).sources, dtype=np.int64)
    sources = np.array(result.sources, dtype=np.int64)
    reliability[sources], votes[sources] = result.fit.reliability, result.vote_count
    bits = b"".join(column.tobytes() for column in (result.fit.reliability, result.fit.lower, result.fit.upper))
    return {
        "seconds": seconds,
        "start": times.start,
        "read": times.read,
        "round": float(np.median(times.rounds)),
        "longest_round": max(times.rounds),
        "rounds": len(times.rounds),
        "error": _error(reliability, votes),
        "bits": hashlib.sha256(bits).hexdigest(),
    }


def _error(reliability: Floats, votes: NDArray[np.int64]) -> float:
    """Root of the mean square error of the sources with enough votes."""
    truth, enough = World(0).reliability[: votes.size], votes >= _ENOUGH_VOTES
    return float(np.sqrt(((reliability - truth)[enough] ** 2).mean())) if enough.any() else float("nan")


def _pid(actor: Any) -> int:  # noqa: ANN401 - Ray is in an extra
    """The process of an actor."""
    ray = import_module("ray")
    return int(ray.get(actor.__ray_call__.remote(lambda _worker: os.getpid())))


if __name__ == "__main__":
    main()
