"""Runs the load, and reports what failed and what grew."""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlalchemy.engine import URL

from benchmarks.harness import Cell, Report, run
from benchmarks.harness.database import temporary_server
from benchmarks.load import BENCHMARK, tables
from benchmarks.load.chronicle import Chronicle
from benchmarks.load.plot import draw
from benchmarks.load.processes import Processes, running
from benchmarks.load.traffic import Rates, Traffic
from benchmarks.load.trends import Trend, trends
from registry.estimations.store import status_counts
from registry.platform.concurrency import in_background

SEED = 1
SAMPLES = 240


@dataclass(frozen=True, slots=True)
class Size:
    """What there is before the load begins."""

    sources: int = 10
    towns: int = 40
    queries: int = 30


QUICK = Size(sources=5, towns=6, queries=4)
QUICK_MINUTES = 0.25


def add_options(parser: argparse.ArgumentParser) -> None:
    """How long, how much of what, and where it is drawn."""
    parser.add_argument("--minutes", type=float, default=15.0, help="how long (default 15; 0.25 with --quick)")
    parser.add_argument("--questions", type=float, default=30.0, help="a minute (default 30)")
    parser.add_argument("--documents", type=float, default=60.0, help="a minute (default 60)")
    parser.add_argument("--clients", type=int, default=4, help="that ask (default 4)")
    parser.add_argument("--dashboards", type=int, default=3, help="that are open (default 3)")
    parser.add_argument("--workers", type=int, default=2, help="processes beside the service (default 2)")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="draw the run as load.png in this folder")


def measure(report: Report) -> None:
    """The whole run."""
    with temporary_server() as (url, folder):
        asyncio.run(_measure(report, url, folder))


async def _measure(report: Report, url: URL, folder: Path) -> None:
    extra, size = report.options.extra, QUICK if report.options.quick else Size()
    seconds = 60 * (QUICK_MINUTES if report.options.quick else extra.minutes)
    generator = np.random.default_rng(SEED)
    rates = Rates(extra.questions, extra.documents, extra.clients, extra.dashboards)
    async with running(url, folder, extra.workers) as processes:
        traffic = Traffic(processes.service, Chronicle(size.sources, generator), rates, generator)
        await traffic.prepare(size.towns, size.queries)
        async with in_background(processes.sample(max(seconds / SAMPLES, 1.0))):
            await traffic.run(seconds)
        async with processes.database.begin() as session:
            runs = await status_counts(session)
        _report(report, seconds, processes, traffic, runs, await processes.left_open())
    if extra.plots is not None:
        draw(seconds, processes.samples, traffic.requests, extra.plots / "load.png")


def _report(
    report: Report, seconds: float, processes: Processes, traffic: Traffic, runs: Mapping[str, int], left_open: int
) -> None:
    samples, requests = processes.samples, traffic.requests
    found = trends(seconds, samples, requests, most_connections=processes.most_connections, left_open=left_open)
    rates = traffic.rates
    title = (
        f"{seconds / 60:g} minutes; a minute {rates.questions:g} questions of {rates.clients} clients and "
        f"{rates.documents:g} documents; {rates.dashboards} dashboards, {len(processes.workers)} workers; MiB"
    )
    report.table(title, tables.PHASE_COLUMNS, tables.phase_rows(seconds, samples, requests))
    report.table("Requests", tables.KIND_COLUMNS, tables.kind_rows(requests))
    report.table("What grows", tables.TREND_COLUMNS, tables.trend_rows(found))
    outcome: list[tuple[str, Cell]] = [
        ("documents written", traffic.documents),
        ("questions that were waited for and answered right", f"{traffic.right} of {traffic.answered}"),
        *((f"estimations that {status}", count) for status, count in runs.items() if count),
        *((f"{level} in the logs: {event}", count) for (level, event), count in processes.logged().most_common()),
    ]
    report.table("Besides", ["", ""], outcome)
    last = samples[-1]
    report.figure("failed", sum(request.failed for request in requests))
    report.figure("requests", len(requests))
    report.figure("growing", _growing(found))
    for share in (50, 99):
        report.figure(f"p{share}_ms", tables.milliseconds(tables.questions(requests), share))
    report.figure("service_mib", last.service)
    report.figure("worker_mib", last.worker)
    report.figure("postgres_mib", last.postgres)
    report.figure("database_mib", last.database)
    report.figure("oldest_job_seconds", max(sample.oldest for sample in samples))
    for trend in found:
        report.figure(f"{trend.name}, rise in an hour", trend.hourly.mean)


def _growing(found: Sequence[Trend]) -> float:
    """How many grow; NaN where the run was too short to tell."""
    return float("nan") if any(trend.grows is None for trend in found) else sum(bool(trend.grows) for trend in found)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
