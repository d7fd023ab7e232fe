"""Measurements in processes of their own, and the memory of processes."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil

MIB = 2**20


def run_alone(module: str, *arguments: str, limit: float) -> dict[str, float] | None:
    """The object that `python -m module arguments` prints last; None if it did not end in `limit` seconds."""
    one_core = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(
            command, env=os.environ | one_core, check=True, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return None
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def peak_bytes() -> float:
    """The largest resident set of this process since `reset_peak`, in bytes."""
    return _kibibytes("/proc/self/status", "VmHWM") * 1024.0


def reset_peak() -> None:
    """Start the measurement of `peak_bytes` anew."""
    Path("/proc/self/clear_refs").write_text("5")


def resident_mib(process: psutil.Process) -> float:
    """The resident set of a process, in MiB."""
    return float(process.memory_info().rss) / MIB


def private_postgres_mib(folder: Path) -> float:
    """The memory that the processes of the server whose data lie in the folder do not share (Uss), in MiB: what is left
    without their buffers.
    """
    main = psutil.Process(int((folder / "postgres" / "postmaster.pid").read_text().split()[0]))
    total = 0.0
    for process in (main, *main.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            total += process.memory_full_info().uss / MIB
    return total


def available_bytes() -> float:
    """Memory that Linux could hand out without swapping, in bytes."""
    return _kibibytes("/proc/meminfo", "MemAvailable") * 1024.0


def _kibibytes(path: str, name: str) -> float:
    fields = dict(line.split(":", 1) for line in Path(path).read_text().splitlines())
    return float(fields[name].split()[0])
