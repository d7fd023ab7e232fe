"""Cost of the compact reader: start and memory in a new process, and throughput on all cores."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import psutil

from answering.readers import CompactReader
from benchmarks.data.squad import Example

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Start:
    """A new process that imports the reader, loads it and reads once."""

    import_seconds: float
    """From the start of the process to the end of the import."""
    load_seconds: float
    """From the reader's construction to the end of its first reading: hash, model, tokenizer."""
    imported_mib: float
    """Resident set after the import."""
    loaded_mib: float
    """Resident set after the first reading."""


def measure_start() -> Start:
    """Measure a start in a new process."""
    printed = subprocess.run(
        [sys.executable, "-m", "benchmarks.reader.cost"], check=True, capture_output=True, text=True, timeout=120
    ).stdout
    return Start(**json.loads(printed))


def passages_per_second(examples: Sequence[Example]) -> float:
    """Throughput of one reader on all cores, with all passages requested at once."""
    return asyncio.run(_throughput(examples))


async def _throughput(examples: Sequence[Example]) -> float:
    reader = CompactReader(threads=os.cpu_count())
    await reader.read("Who built the mill?", ["Tora Myhre built the mill."])
    began = time.perf_counter()
    await asyncio.gather(*(reader.read(example.question, [example.passage]) for example in examples))
    return len(examples) / (time.perf_counter() - began)


def _start() -> Start:
    importing = time.time() - psutil.Process().create_time()
    imported, began = _resident_mib(), time.perf_counter()
    asyncio.run(CompactReader(threads=1).read("Who built the mill?", ["Tora Myhre built the mill."]))
    return Start(importing, time.perf_counter() - began, imported, _resident_mib())


def _resident_mib() -> float:
    return float(psutil.Process().memory_info().rss) / MIB


if __name__ == "__main__":
    print(json.dumps(asdict(_start())))
