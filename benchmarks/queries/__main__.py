"""`python -m benchmarks.queries`: see `benchmarks.queries`."""

import argparse
import asyncio
import time
from collections.abc import Sequence

import numpy as np

from answering.readers import CompactReader
from api.demo.load import load as load_demo
from benchmarks.harness import Report, progress, run
from benchmarks.multisource.runner import opened_service
from benchmarks.queries import BENCHMARK, demo
from benchmarks.queries.corpora import FOLDERS, load
from registry.database.paging import MAX_LIMIT
from registry.estimation import query_generation
from registry.inputs.query_generations import GenerationParameters
from registry.models import Corpus, Query, QueryOrigin
from registry.results.query_generations import GenerationReport
from registry.runtime import Runtime
from registry.store import queries

FEW, DRAWS, MOST = 25, 5, 100
QUICK_FEW, QUICK_DRAWS = 8, 1
SECONDS = 240.0
"""Most seconds of a generation on a real corpus."""
# Pairs of a question and a passage that the reader remembers.
REMEMBERED = 100_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Whether the queries themselves are shown."""
    parser.add_argument("--texts", action="store_true", help="also show the queries, to read them")


def measure(report: Report) -> None:
    """The demo, then what is written from real corpora."""
    asyncio.run(_measure(report))


async def _measure(report: Report) -> None:
    quick = report.options.quick
    async with opened_service(CompactReader(cache_size=REMEMBERED)) as runtime:
        await _measure_demo(report, runtime)
        for name, documents in {} if quick else FOLDERS.items():
            corpus = await load(runtime, name.replace("_", "-"), documents(report.folder(name)))
            progress(f"{name} loaded")
            parameters = GenerationParameters(queries=MOST, max_seconds=SECONDS)
            await _generate(report, runtime, corpus, name, parameters)


async def _measure_demo(report: Report, runtime: Runtime) -> None:
    few, draws = (QUICK_FEW, QUICK_DRAWS) if report.options.quick else (FEW, DRAWS)
    most = few if report.options.quick else MOST
    corpus = (await load_demo(runtime)).corpus
    given = await demo.ids_of(runtime, corpus, QueryOrigin.GIVEN)
    # Nothing of the given queries may be known to the generation, so that they are put aside.
    given_queries = await _taken_away(runtime, corpus)
    await _generate(report, runtime, corpus, "demo", GenerationParameters(queries=most, max_agreed=1.0))
    generated = await demo.ids_of(runtime, corpus, QueryOrigin.GENERATED)
    await _put_back(runtime, given_queries)
    rows = []
    for origin, ids in (("given", given), ("generated", generated)):
        drawn = [await demo.estimated(runtime, corpus, demo.drawn(ids, few, seed)) for seed in range(draws)]
        rows.append(_row(f"{few} {origin}, mean of {draws} draws", drawn))
        report.figures[f"correlation/{origin}/{few}"] = float(np.mean([row.correlation for row in drawn]))
        if report.options.quick:
            continue
        everything = await demo.estimated(runtime, corpus, ids)
        right, judged = await demo.right_answers(runtime, corpus)
        rows.append([*_row(f"all {everything.queries} {origin}", [everything])[:-1], f"{right} of {judged}"])
        report.figures[f"correlation/{origin}"] = everything.correlation
        report.figures[f"right/{origin}"] = right / judged
        progress(f"demo: estimated from {origin} queries")
    columns = ["queries", "correlation with the truth", "mean difference", "copy groups", "topics", "right answers"]
    report.table("Reliabilities of the demo's sources", columns, rows)


def _row(name: str, runs: Sequence[demo.Estimated]) -> list[str]:
    figures = np.array([[run.correlation, run.difference, run.copy_groups, run.topics] for run in runs]).mean(axis=0)
    return [name, f"{figures[0]:.3f}", f"{figures[1]:.3f}", f"{figures[2]:.1f}", f"{figures[3]:.1f}", ""]


async def _generate(
    report: Report, runtime: Runtime, corpus: Corpus, name: str, parameters: GenerationParameters
) -> None:
    began = time.perf_counter()
    generation = await query_generation.run_now(runtime, corpus, parameters)
    seconds = time.perf_counter() - began
    counts = GenerationReport.model_validate(generation.report)
    report.table(
        f"Generation on {name}, {seconds:.0f} s",
        list(GenerationReport.model_fields),
        [[str(value) for value in counts.model_dump().values()]],
    )
    report.figures |= {f"{name}/queries": counts.queries, f"{name}/readings": counts.readings}
    if report.options.extra.texts:
        columns = ["query", "answer of its sentence", "leading answer"]
        report.table(f"Queries of {name}", columns, await _texts(runtime, corpus))
    progress(f"{name}: {counts.queries} queries generated")


async def _texts(runtime: Runtime, corpus: Corpus) -> list[list[str]]:
    async with runtime.database.begin() as session:
        page = await queries.page(session, corpus, cursor=None, limit=MAX_LIMIT, origin=QueryOrigin.GENERATED)
    origins = [(query.text, query.provenance or {}) for query in page.items]
    return [[text, origin.get("answer", ""), origin.get("leading_answer") or ""] for text, origin in origins]


async def _taken_away(runtime: Runtime, corpus: Corpus) -> list[Query]:
    async with runtime.database.begin() as session:
        page = await queries.page(session, corpus, cursor=None, limit=MAX_LIMIT)
        for query in page.items:
            await queries.delete(session, corpus, query.id)
    return list(page.items)


async def _put_back(runtime: Runtime, rows: Sequence[Query]) -> None:
    names = [column.key for column in Query.__table__.columns]
    async with runtime.database.begin() as session:
        session.add_all(Query(**{name: getattr(row, name) for name in names}) for row in rows)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
