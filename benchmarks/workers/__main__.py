"""Measures the readings a second of 1 to 8 workers, and what kills cost."""

import argparse
import asyncio
from dataclasses import dataclass

from benchmarks.harness import Cell, Report, run
from benchmarks.harness.database import opened, temporary_server
from benchmarks.harness.options import count
from benchmarks.workers import BENCHMARK
from benchmarks.workers.model import READING_SECONDS, ModelServer
from benchmarks.workers.world import World, open_world
from registry.platform.concurrency import in_background
from tests.fakes.scripted_reader import ScriptedReader

# Each of the workers opens up to 17.
SERVER = {"max_connections": "300"}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is read, by how many workers."""

    workers: tuple[int, ...] = (1, 2, 4, 8)
    sources: int = 20
    queries_a_worker: int = 125
    killed_workers: int = 4
    killed_queries: int = 500
    kills: int = 5
    kill_seconds: float = 10.0


QUICK = Size(
    (1, 2),
    sources=10,
    queries_a_worker=12,
    killed_workers=2,
    killed_queries=32,
    kills=1,
    kill_seconds=2.0,
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """How much a worker reads at the same time."""
    parser.add_argument("--at-once", type=count, default=1, help="readings that a worker makes at once (default 1)")


def measure(report: Report) -> None:
    """All numbers of workers, then the kills."""
    asyncio.run(_measure(report, QUICK if report.options.quick else Size()))


async def _measure(report: Report, size: Size) -> None:
    model = ModelServer()
    with temporary_server(SERVER) as (url, folder):
        async with model.serving(), opened(url, ScriptedReader()) as runtime:
            world = await open_world(runtime, model, folder, size.sources, report.options.extra.at_once)
            await _scale(report, world, size)
            await _kill(report, world, size)


async def _scale(report: Report, world: World, size: Size) -> None:
    rows: list[list[Cell]] = []
    for workers in size.workers:
        queries = workers * size.queries_a_worker
        async with world.workers(workers):
            seconds = await world.seconds_of(await world.start_run(queries))
        rate = queries * size.sources / seconds
        report.figure(f"rate_{workers}", rate)
        linearity = rate / workers / report.figures["rate_1"]
        report.figure(f"linearity_{workers}", linearity)
        limit = workers * world.at_once / READING_SECONDS
        row: list[Cell] = [workers, f"{queries * size.sources:,}", f"{seconds:.1f} s", f"{rate:.0f}", f"{limit:.0f}"]
        rows.append([*row, f"{linearity:.2f}", world.model.repeated])
    columns = ["workers", "readings", "time", "a second", "the model server's limit", "share of linear", "read twice"]
    report.table(f"Readings of {READING_SECONDS * 1000:.0f} ms, {world.at_once} at once a worker", columns, rows)


async def _kill(report: Report, world: World, size: Size) -> None:
    kills = 0

    async def kill() -> None:
        nonlocal kills
        for _ in range(size.kills):
            await asyncio.sleep(size.kill_seconds)
            world.kill_oldest()
            kills += 1
            world.start_worker()

    async with world.workers(size.killed_workers):
        run_id = await world.start_run(size.killed_queries)
        async with in_background(kill()):
            seconds = await world.seconds_of(run_id)
    readings = size.killed_queries * size.sources
    report.figure("kills", kills)
    report.figure("repeated_a_kill", world.model.repeated / max(kills, 1))
    row: list[Cell] = [
        size.killed_workers,
        kills,
        f"{seconds:.1f} s",
        f"{readings / seconds:.0f}",
        world.model.repeated,
        world.at_once,
    ]
    columns = ["workers", "killed", "time", "readings a second", "read twice", "readings in the hands of one"]
    report.table(f"A worker is killed and replaced every {size.kill_seconds:.0f} s", columns, [row])


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
