"""The machine that the figures are measured on: processor, cores, memory and Python, no names and no paths."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Machine:
    """`cores` are those that this process may use."""

    processor: str
    cores: int
    memory_gib: float
    system: str
    python: str

    def __str__(self) -> str:
        """All of it in one line."""
        return f"{self.processor}, {self.cores} cores, {self.memory_gib:.0f} GiB, {self.system}, {self.python}"


def machine() -> Machine:
    """This machine, as the operating system describes it."""
    return Machine(
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_gib=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        system=f"{platform.system()} {platform.machine()}",
        python=f"Python {platform.python_version()}",
    )


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"
