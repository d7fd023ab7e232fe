"""A measurement in a process of its own, on one core: what others allocated or imported changes nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path


def in_fresh_process(module: str, *arguments: str, limit: float) -> dict[str, float] | None:
    """The object that `python -m module arguments` prints last; None if it did not end in `limit` seconds."""
    one_core = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(
            command, env=os.environ | one_core, check=True, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def bytes_at_most() -> float:
    """Bytes of this process that were resident at most since `forget_peak`."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return float(fields["VmHWM"].split()[0]) * 1024.0


def forget_peak() -> None:
    """Linux forgets the peak on request, so that drawing the votes leaves none."""
    Path("/proc/self/clear_refs").write_text("5")
