"""Readings and seconds a question against the number of sources: kappa-RRSS and all sources, nothing cached."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import delete

from benchmarks.multisource import service
from benchmarks.multisource.facts import Fact
from benchmarks.multisource.score import KAPPA, Row
from benchmarks.multisource.service import Loaded
from benchmarks.multisource.synthetic import Setting, SyntheticCorpus, build
from registry.platform.enums import SourceStatus
from registry.readings.model import CachedReading
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourcePatch

COUNTS = (3, 4, 5, 6, 7, 8, 9, 20, 50, 200)
SETTING = Setting("timing", sources=max(COUNTS), estimation=25, test=15)


async def timed(runtime: Runtime, facts: Sequence[Fact], counts: Sequence[int] = COUNTS) -> list[Row]:
    """A row for each number of active sources of one corpus, with kappa-RRSS and with all sources."""
    corpus = build(SETTING, 0, facts)
    loaded = await service.load(runtime, corpus)
    rows: list[Row] = []
    for count in counts:
        await _activate(runtime, loaded, count)
        await service.estimated(runtime, loaded.corpus, "iwmv")
        for method, kappa in (("ra-rag", KAPPA), ("wmv", count)):
            rows.append(await _timed(runtime, loaded, corpus, count, method, kappa))
    return rows


async def _activate(runtime: Runtime, loaded: Loaded, count: int) -> None:
    """Activate the first sources, pause the others."""
    async with runtime.database.begin() as session:
        for index, source_id in enumerate(loaded.source_ids):
            status = SourceStatus.ACTIVE if index < count else SourceStatus.PAUSED
            await sources.update(session, loaded.corpus, source_id, SourcePatch(status=status))


async def _timed(runtime: Runtime, loaded: Loaded, corpus: SyntheticCorpus, count: int, method: str, kappa: int) -> Row:
    async with runtime.database.begin() as session:
        await session.execute(delete(CachedReading))
    asked = [item.fact.question for item in corpus.items if item.is_test]
    answered = [await service.answered(runtime, loaded, question, kappa=kappa, batch=KAPPA) for question in asked]
    seconds = [taken for _, taken in answered]
    return {
        "setting": corpus.setting.name,
        "seed": corpus.seed,
        "reader": runtime.require_reader().name,
        "subset": f"N={count}",
        "method": method,
        "part": "seconds",
        "readings": float(np.mean([result.usage.readings for result, _ in answered])),
        "seconds": float(np.mean(seconds)),
        "p95": float(np.percentile(seconds, 95)),
    }
