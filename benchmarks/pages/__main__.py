"""Measures the pages."""

import argparse
import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import httpx
import psycopg

from api.pages.rendering import STATIC
from benchmarks.harness import CannotMeasureError, Report, database, run
from benchmarks.pages import BENCHMARK, world
from benchmarks.pages.browser import PageTimes, chromium, open_times, scripted_milliseconds
from benchmarks.pages.screenshots import take_every
from registry.platform.database.engine import libpq_url

SOURCES = 10_000
START_SECONDS = 60.0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Pictures in the place of times."""
    help_text = "take pictures of every page of the demo at this address, and measure nothing"
    parser.add_argument("--pictures", metavar="URL", help=help_text)
    parser.add_argument("--folder", type=Path, default=Path("build") / "pictures", help="where pictures are written")


def measure(report: Report) -> None:
    """Open every page several times, or take its pictures."""
    chosen = report.options.extra
    if chosen.pictures:
        take_every(chosen.pictures.rstrip("/"), chosen.folder)
        raise CannotMeasureError(f"pictures are in {chosen.folder}")
    repeats = 1 if report.options.quick else 7
    with chromium() as browser, database.temporary_server() as (url, folder):
        with psycopg.connect(libpq_url(url), autocommit=True) as connection:
            built = world.build(connection, SOURCES)
        with _service(libpq_url(url), folder) as base:
            open_times(browser, base + _paths(built)["sources"])
            times = {
                name: [open_times(browser, base + path) for _ in range(repeats)] for name, path in _paths(built).items()
            }
            scripted = [scripted_milliseconds(browser, base) for _ in range(max(repeats // 3, 1))]
    _report(report, times, median(scripted))


def _paths(built: world.World) -> dict[str, str]:
    corpus = "/corpora/default"
    return {
        "sources": f"{corpus}/sources",
        "sources, sorted by conflict": f"{corpus}/sources?sort=conflict",
        "sources, filtered": f"{corpus}/sources?text=99&show=all",
        "sources, last page": f"{corpus}/sources?page=200",
        "a source": f"{corpus}/sources/{built.source}",
        "its influence": f"{corpus}/sources/{built.source}/influence",
        "its documents": f"{corpus}/sources/{built.source}/documents",
        "two sources": f"{corpus}/comparison?source={built.source}&source={built.other}",
        "disputes": f"{corpus}/disputes",
        "a query": f"{corpus}/estimations/{built.run}/queries/{built.query}",
        "copies": f"{corpus}/copies",
        "a link": f"{corpus}/copies/{built.source}/{built.other}",
        "runs": f"{corpus}/estimations",
        "a run": f"{corpus}/estimations/{built.run}",
        "two runs": f"{corpus}/estimations/{built.run}/difference?from={built.earlier}",
        "ask": f"{corpus}/answers",
        "add": f"{corpus}/documents",
        "queries": f"{corpus}/suggestions?shown=all",
        "quality": f"{corpus}/quality",
        "settings": f"{corpus}/settings",
        "audit log": f"{corpus}/audit",
        "keys": f"{corpus}/keys",
        "overview": corpus,
        "votes": f"{corpus}/votes",
        "labels": f"{corpus}/labels",
        "misreadings": f"{corpus}/misreadings",
        "watches": f"{corpus}/watches",
        "exports": f"{corpus}/exports",
        "search": f"{corpus}/search?query=place",
        "check a text": f"{corpus}/conflict-scores",
        "all corpora": "/corpora",
        "operations": "/operations",
        "people": "/operations/people",
    }


def _report(report: Report, times: dict[str, list[PageTimes]], scripted: float) -> None:
    rows = [
        [
            name,
            f"{median(time.paint for time in measured):.0f} ms",
            f"{max(time.paint for time in measured):.0f} ms",
            f"{median(time.full for time in measured):.0f} ms",
            f"{measured[0].kilobytes:.0f} kB",
        ]
        for name, measured in times.items()
    ]
    columns = ["page", "first contentful paint", "slowest", "full page", "HTML"]
    report.table(f"Pages at {SOURCES:,} sources with {SOURCES * world.VOTES_EACH:,} votes", columns, rows)
    script = sum(path.stat().st_size for path in STATIC.glob("*.js")) / 1000
    rival = [["all sources fetched as JSON, rows made by a script", f"{scripted:.0f} ms"]]
    report.table("The table of sources otherwise", ["way", "until it is shown"], rival)
    report.figure("sources_paint_ms", median(time.paint for time in times["sources"]))
    report.figure("sources_full_ms", median(time.full for time in times["sources"]))
    report.figure("slowest_full_ms", max(median(time.full for time in measured) for measured in times.values()))
    report.figure("script_ms", scripted)
    report.figure("script_kb", script)


@contextlib.contextmanager
def _service(database_url: str, folder: Path) -> Iterator[str]:
    """The address of a service on that database, in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    values = {"DATABASE_URL": database_url, "CREDENCE_PORT": str(port), "CREDENCE_LOG_LEVEL": "WARNING"}
    # The code beside this module, whichever is installed.
    command, log = [sys.executable, "-c", "from api.cli import main; main()", "serve"], folder / "service.log"
    with log.open("wb") as output:
        service = subprocess.Popen(command, env=os.environ | values, stdout=output, stderr=output)
    base, deadline = f"http://127.0.0.1:{port}", time.monotonic() + START_SECONDS
    try:
        while not _is_ready(base):
            if service.poll() is not None or time.monotonic() > deadline:
                raise CannotMeasureError(f"the service did not start: {log.read_text()[-500:]}")
            time.sleep(0.1)
        yield base
    finally:
        service.terminate()
        service.wait(30)


def _is_ready(base: str) -> bool:
    with contextlib.suppress(httpx.HTTPError):
        return httpx.get(f"{base}/readyz").is_success
    return False


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
