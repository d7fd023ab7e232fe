"""The time of a question that was never asked before, over HTTP, warm and without a language model."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx
import psutil
from sqlalchemy.engine import URL

from benchmarks.harness import Cell, Report, Timing, service
from benchmarks.subjects.service import CORPUS
from registry.platform.database.engine import libpq_url

# The queries of the estimation ask nothing of these, so that no reading of them is kept.
TEMPLATES = ("When did {name} become independent?", "Which languages are spoken in {name}?")
WARMING = 5
AIM_SECONDS = 0.3


def first_questions(names: Mapping[str, str], limit: int) -> list[str]:
    """Questions about countries of which nothing was read; those that warm up the service come first."""
    asked = [template.format(name=names[code]) for template in TEMPLATES for code in sorted(names)]
    return asked[: limit + WARMING]


async def measure(report: Report, url: URL, folder: Path, questions: Sequence[str]) -> None:
    """Ask one after the other."""
    settings = {"DATABASE_URL": libpq_url(url), "CREDENCE_LOG_LEVEL": "WARNING"}
    served = service.Service(folder / "service.log", settings)
    seconds, busy = [], []
    async with served.running() as process, served.client() as client:
        for question in questions:
            before = _busy_seconds(process)
            seconds.append(await _seconds(client, question))
            busy.append(_busy_seconds(process) - before)
    timing, processor = Timing(tuple(seconds[WARMING:])), Timing(tuple(busy[WARMING:]))
    report.figure("first_question_median_s", timing.median)
    report.figure("first_question_p90_s", timing.percentile(90))
    report.figure("first_question_processor_s", processor.median)
    rows: list[list[Cell]] = [
        [len(timing.seconds), f"{timing.median:.2f}", f"{timing.percentile(90):.2f}", f"{processor.median:.2f}"],
        ["aim", f"under {AIM_SECONDS}", None, None],
    ]
    columns = ["questions", "median s", "p90 s", "processor time of the service, median s"]
    report.table("A first question over HTTP, warm, without a language model", columns, rows)


def _busy_seconds(process: psutil.Process) -> float:
    """Its processor time, of all cores; beside other work it tells more than the time on the clock."""
    times = process.cpu_times()
    return float(times.user + times.system)


async def _seconds(client: httpx.AsyncClient, question: str) -> float:
    began = time.perf_counter()
    response = await client.post(f"/v1/corpora/{CORPUS}/answers", json={"question": question})
    response.raise_for_status()
    return time.perf_counter() - began
