"""Runs every drill against one service, and counts what did not hold."""

import asyncio
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.drill import BENCHMARK
from benchmarks.drill.crashes import backups, killed_postgres, killed_service
from benchmarks.drill.inputs import bombs, hostile_documents, silent_clients
from benchmarks.drill.load import flood, races, stops
from benchmarks.drill.recovery import recoveries
from benchmarks.drill.service import Promise, Service, model_server
from benchmarks.harness import Report, progress, run
from registry.platform.database import embedded


@dataclass(frozen=True, slots=True)
class Trials:
    """How often each promise is tried."""

    mebibytes: int = 3 * 1024
    documents: int = 10_000
    silent: int = 1_200
    kills: int = 20
    questions: int = 200
    races: int = 1_000
    stops: int = 20
    backups: int = 10
    recoveries: int = 5


QUICK = Trials(48, 50, 60, 1, 64, 20, 1, 1, 1)


def measure(report: Report) -> None:
    """All drills, one after the other."""
    with tempfile.TemporaryDirectory(prefix="credence-drill-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        try:
            trials = QUICK if report.options.quick else Trials()
            asyncio.run(_drill(report, Path(folder), trials))
        finally:
            for data_dir in Path(folder).iterdir():
                if (data_dir / "postgres").exists():
                    embedded.stop(data_dir)


async def _drill(report: Report, folder: Path, trials: Trials) -> None:
    promises: list[Promise] = []
    seconds: dict[str, float] = {}
    with model_server() as model:
        service = Service(folder, model)
        await service.start()
        await service.fill()
        for name, drill in (
            ("bombs", partial(_bombs, report, service, trials.mebibytes)),
            ("flood", partial(_flood, report, service, trials.questions)),
            # Before the sources of the races and the documents, over which runs and questions take longer.
            ("the service killed", partial(killed_service, service, model, trials.kills)),
            ("stops", partial(stops, service, trials.stops)),
            ("hostile documents", partial(hostile_documents, service, trials.documents)),
            ("silent clients", partial(silent_clients, service, trials.silent)),
            ("races", partial(races, service, trials.races)),
            ("PostgreSQL killed", partial(killed_postgres, service, trials.kills)),
            ("backups", partial(backups, service, folder, trials.backups)),
            ("recoveries", partial(recoveries, folder, trials.recoveries)),
        ):
            began = time.perf_counter()
            promises += await drill()
            seconds[name] = time.perf_counter() - began
            progress(f"{name}: done in {seconds[name]:.0f} s")
        await service.stop()
    rows = [[promise.name, f"{promise.trials:,}", f"{promise.losses:,}", promise.worst] for promise in promises]
    report.table("Promises", ["promise", "trials", "did not hold", "worst"], rows)
    report.figure("losses", float(sum(promise.losses for promise in promises)))
    report.figure("trials", float(sum(promise.trials for promise in promises)))
    report.table("Time", ["part", "seconds"], [[name, f"{taken:.0f}"] for name, taken in seconds.items()])


async def _bombs(report: Report, service: Service, mebibytes: int) -> list[Promise]:
    promises, worst_livez = await bombs(service, mebibytes)
    report.figure("worst_livez", worst_livez)
    return promises


async def _flood(report: Report, service: Service, questions: int) -> list[Promise]:
    promises, ratio = await flood(service, questions)
    report.figure("flood_ratio", ratio)
    return promises


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
