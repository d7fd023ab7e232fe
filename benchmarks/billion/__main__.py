"""Writes the votes, fits them in every way, and kills a worker."""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from benchmarks.billion import BENCHMARK
from benchmarks.billion.peak import GIB, PeakMemory
from benchmarks.billion.world import World, write
from benchmarks.harness import CannotMeasureError, Cell, Report, run
from benchmarks.harness.processes import available_bytes
from estimator.errors import installing

METHODS: Final = ("majority", "iwmv", "one_coin")
KILLED: Final = ("one_coin", "ray-2")
"""The fit that is repeated with a worker that is killed."""
FULL, QUICK = 100_000_000, 1_000_000
# An upper bound of what `estimator.estimate` takes, with the columns it is given.
_BYTES_A_VOTE: Final = 64
_DISK_BYTES_A_VOTE: Final = 4
_LIMIT: Final = 3600.0

Figures = dict[str, Any]


def measure(report: Report) -> None:
    """All fits of one size, one of them with a worker that is killed."""
    votes = QUICK if report.options.quick else report.options.extra.votes
    with _votes(report, votes) as folder:
        _reading(report, folder)
        fits = _fits(report, folder, votes)
        if find_spec("ray") is not None:
            _kill(report, folder, fits[KILLED])


@contextlib.contextmanager
def _votes(report: Report, votes: int) -> Iterator[Path]:
    """A folder with about so many votes."""
    world = World(votes)
    with tempfile.TemporaryDirectory(dir=report.options.extra.folder) as name:
        folder, free = Path(name), os.statvfs(name)
        if free.f_bavail * free.f_frsize < votes * _DISK_BYTES_A_VOTE:
            raise CannotMeasureError(f"{votes:,} votes need {votes * _DISK_BYTES_A_VOTE / GIB:.0f} GiB of disk")
        began = time.perf_counter()
        written, size = write(world, folder), sum(path.stat().st_size for path in folder.iterdir())
        if not report.tables:
            report.table(
                "Votes",
                ["votes", "files", "sources", "bytes a vote on disk", "GiB", "seconds to write"],
                [
                    [
                        f"{written:,}",
                        world.files,
                        world.sources,
                        f"{size / written:.2f}",
                        f"{size / GIB:.2f}",
                        f"{time.perf_counter() - began:.0f}",
                    ]
                ],
            )
            report.figure("votes", written)
            report.figure("disk_bytes_a_vote", size / written)
        yield folder


def _reading(report: Report, folder: Path) -> None:
    figures = _once(report, folder, "reading", "local")
    report.figure("reading.seconds", figures["seconds"])
    report.table(
        "Reading the files alone, one process",
        ["seconds", "million votes a second"],
        [[f"{figures['seconds']:.1f}", f"{figures['votes'] / figures['seconds'] / 1e6:.1f}"]],
    )


def _fits(report: Report, folder: Path, votes: int) -> dict[tuple[str, str], Figures]:
    engines = {"memory": "memory", "local": "local", "ray-1": "1", "ray-2": "2"}
    if find_spec("ray") is None:
        report.rival_skipped("workers of Ray", f"Ray is not installed: {installing('ray')}")
        engines = {"memory": "memory", "local": "local"}
    if (needed := votes * _BYTES_A_VOTE) > (free := available_bytes()):
        report.rival_skipped("votes in memory", f"needs {needed / GIB:.0f} GiB, {free / GIB:.0f} GiB are free")
        engines.pop("memory")
    chosen = [(method, name) for method in METHODS for name in engines]
    if report.options.quick:  # starting Ray takes seconds
        chosen = [(method, name) for method, name in chosen if name in {"memory", "local"} or (method, name) == KILLED]
    fits = {(method, name): _once(report, folder, method, engines[name]) for method, name in chosen}
    for (method, name), figures in fits.items():
        for figure in ("seconds", "start", "read", "round", "rounds", "peak_gib", "error"):
            if figure in figures:
                report.figure(f"{method}.{name}.{figure}", figures[figure])
    report.table(
        "Fits",
        [
            "method",
            "engine",
            "seconds",
            "of them start",
            "reading",
            "a round",
            "rounds",
            "million votes a second and core",
            "peak GiB",
            "RMSE",
            "bits",
        ],
        [_row(method, name, figures, votes) for (method, name), figures in fits.items()],
    )
    for method in METHODS:
        bits = {figures["bits"] for (of, _), figures in fits.items() if of == method and "bits" in figures}
        report.figure(f"{method}.different_bits", len(bits) - 1)
    return fits


def _row(method: str, name: str, figures: Figures, votes: int) -> list[Cell]:
    cores = 2 if name == "ray-2" else 1
    times = [f"{figures[part]:.2f}" if part in figures else None for part in ("start", "read", "round")]
    rate = votes * figures["rounds"] / figures["seconds"] / cores / 1e6
    rest: list[Cell] = [figures["rounds"], f"{rate:.1f}", f"{figures['peak_gib']:.2f}", f"{figures['error']:.5f}"]
    return [method, name, f"{figures['seconds']:.1f}", *times, *rest, str(figures.get("bits", ""))[:8]]


def _kill(report: Report, folder: Path, whole: Figures) -> None:
    """One worker of two is killed in the middle of a round."""
    killed = _once(report, folder, "one_coin", "2", "--kill")
    more = killed["seconds"] - whole["seconds"]
    report.figure("kill.seconds_more", more)
    report.figure("kill.different_bits", int(killed["bits"] != whole["bits"]))
    report.table(
        "one_coin by two workers, one of which is killed in the third round",
        ["seconds", "without", "more", "the longest round", "same bits"],
        [
            [
                f"{killed['seconds']:.1f}",
                f"{whole['seconds']:.1f}",
                f"{more:.1f}",
                f"{killed['longest_round']:.1f}",
                "yes" if killed["bits"] == whole["bits"] else "no",
            ]
        ],
    )


def _once(report: Report, folder: Path, method: str, engine: str, *options: str) -> Figures:
    """The figures of one fit in a process of its own, and the peak memory of it and all that it started."""
    one_core = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-m", "benchmarks.billion.once", str(folder), method, engine, *options]
    command += ["--memory", str(round(report.options.extra.memory * GIB))]
    with subprocess.Popen(command, env=os.environ | one_core, stdout=subprocess.PIPE, text=True) as process:
        with PeakMemory(process.pid) as peak:
            try:
                output, _ = process.communicate(timeout=_LIMIT)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)  # so that it ends Ray
                raise
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    figures: Figures = json.loads(output.splitlines()[-1])
    return figures | {"peak_gib": peak.bytes / GIB}


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many votes, and where they are written."""
    parser.add_argument("--votes", type=int, default=FULL, help=f"votes to write (default {FULL:,})")
    parser.add_argument("--folder", type=Path, default=None, help="where votes are written for the time of the run")
    parser.add_argument("--memory", type=float, default=4.0, help="GiB that votes may take between rounds (default 4)")


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
