"""`python -m benchmarks.attacks`: what was once found to get through, tried again on a running service.

It asks for keys, but while hostile files are read. The attacks are in `benchmarks.drill`, with the service.
"""

import asyncio
import tempfile
from pathlib import Path

from benchmarks.drill.aftermath import AFTERMATH
from benchmarks.drill.attacks import attacks
from benchmarks.drill.files import read_hostile_files, spread
from benchmarks.drill.service import Service, model_server
from benchmarks.harness import Benchmark, Headline, Report, run
from registry.platform.database import embedded

FILES, QUICK_FILES = 200, 14

BENCHMARK = Benchmark(
    "attacks",
    "attacks that once got through, and hostile files, against a running service",
    page="drill",
    headlines=(
        Headline("attacks that got through, over all tries", "through", aim=0, higher_is_better=False, form=",.0f"),
        Headline("tries", "tries", form=",.0f"),
        Headline("hostile files read by connectors", "files", form=",.0f"),
    ),
)


def measure(report: Report) -> None:
    """All attacks, one after the other, then the files."""
    with tempfile.TemporaryDirectory(prefix="credence-attacks-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        try:
            asyncio.run(_attack(report, Path(folder)))
        finally:
            embedded.stop(Path(folder, "data"))


async def _attack(report: Report, folder: Path) -> None:
    opened = folder / "opened"
    await asyncio.to_thread(opened.mkdir)
    settings = {"CREDENCE_CONNECTOR_FOLDER": str(opened), "CREDENCE_CONNECTOR_NETWORKS": "127.0.0.0/8"}
    with model_server() as model:
        service = Service(folder, model, **settings, CREDENCE_REQUIRE_API_KEYS="true")
        await service.start()
        tried = await attacks(service, opened, AFTERMATH)
        await service.stop()
        rows = [[item.name, item.before, f"{item.through:,} of {item.tries:,}", item.now] for item in tried]
        report.table("Attacks", ["attack", "when it was found", "gets through", "now"], rows)
        service = Service(folder, model, **settings)
        await service.start()
        files = spread(QUICK_FILES if report.options.quick else FILES)
        readings, longest = await read_hostile_files(service, opened, files)
        await service.stop()
    columns = ["kind", "files", "refused by name, with the reason", "time", "ends of the service, files lost, leaks"]
    read = [[r.kind, f"{r.files}", f"{r.refused}", f"{r.seconds:.0f} s", f"{r.lost}"] for r in readings]
    report.table(f"Hostile files (the longest that /livez took: {longest:.2f} s)", columns, read)
    report.figure("through", float(sum(item.through for item in tried) + sum(reading.lost for reading in readings)))
    report.figure("tries", float(sum(item.tries for item in tried)))
    report.figure("files", float(sum(reading.files for reading in readings)))


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
