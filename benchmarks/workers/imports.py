"""Imports of web pages by one process, with workers that prepare documents too."""

from dataclasses import replace

import numpy as np
from sqlalchemy import text

from benchmarks.harness import Cell, Report
from benchmarks.ingest import import_seconds, ndjson
from benchmarks.workers.world import World
from registry.inputs.sources import SourceInput
from registry.store import sources
from tests.registry.ingest.documents import CountingEmbedder


async def measure_imports(
    report: Report, world: World, worker_counts: tuple[int, ...], pages: int, rounds: int
) -> None:
    """The median rate of some rounds with each number of workers, after one in which models are loaded."""
    async with world.runtime.database.begin() as session:
        source = await sources.create(session, world.corpus, SourceInput(name="Importing"))
    body = ndjson(pages, html=True)
    rows: list[list[Cell]] = []
    passages = 0
    for count in worker_counts:
        embedder = CountingEmbedder(world.runtime.embedder)
        settings = world.runtime.settings.model_copy(update={"import_workers": count})
        importing = replace(world.runtime, embedder=embedder, settings=settings)
        rates, shares = [], []
        async with world.workers(count):
            for _ in range(1 + rounds):
                async with world.runtime.database.begin() as session:
                    await session.execute(text("TRUNCATE documents, passages CASCADE"))
                embedder.texts.clear()
                seconds = await import_seconds(importing, world.corpus, source.id, body)
                async with world.runtime.database.begin() as session:
                    passages = int(await session.scalar(text("SELECT count(*) FROM passages")) or 0)
                rates.append(passages / seconds)
                shares.append(1 - len(embedder.texts) / passages)
        rate, share = float(np.median(rates[1:])), float(np.median(shares[1:]))
        report.figure(f"import_{count}", rate)
        report.figure(f"import_share_{count}", share)
        ratio = rate / report.figures[f"import_{worker_counts[0]}"]
        rows.append([count, f"{rate:,.0f}", f"{ratio:.2f}", f"{share:.2f}"])
    columns = ["workers", "passages a second", "to the importing process alone", "share prepared by workers"]
    report.table(f"Import of {pages:,} web pages, {passages:,} passages, median of {rounds} rounds", columns, rows)
