"""`python -m benchmarks.queries`: see `benchmarks.queries`."""

import argparse
import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace

import numpy as np

from answering.readers import CompactReader
from api.demo.corpus import load_corpus
from api.demo.load import load_documents, load_queries
from benchmarks.harness import Report, progress, run
from benchmarks.harness.language_model import add_model_options, language_model
from benchmarks.multisource.runner import opened_service
from benchmarks.queries import BENCHMARK, demo, worlds
from benchmarks.queries.corpora import FOLDERS, load
from benchmarks.queries.country_facts import country_facts
from benchmarks.queries.disputes import measure_disputes
from benchmarks.queries.estimates import Estimated, KnownCorpus, drawn, estimated, ids_of, width_error
from benchmarks.queries.scale import measure_scale
from benchmarks.queries.wording import measure_wordings
from registry.corpora.model import Corpus
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.enums import QueryOrigin
from registry.queries import store as queries
from registry.query_generations import service as query_generation
from registry.query_generations.schemas import GenerationParameters, GenerationReport
from registry.runtime import Runtime

FEW, DRAWS, MOST = 25, 5, 100
SIZES = (25, 100)
"""Numbers of queries of the drawn corpora, besides all of them."""
WORLD = GenerationParameters(queries=worlds.FACTS, max_readings=100_000, max_seconds=600)
QUICK_FEW, QUICK_DRAWS = 8, 1
SECONDS = 240.0
"""Most seconds of a generation on a real corpus."""
# Pairs of a question and a passage that the reader remembers.
REMEMBERED = 100_000
ORIGINS = (QueryOrigin.GIVEN, QueryOrigin.GENERATED)
COLUMNS = ("queries", "correlation with the truth", "mean difference", "copy groups", "topics", "right answers")
WORDED = 40
"""Facts of each corpus that both rules and a language model word."""
PARTS = ("demo", "worlds", "disputes", "wording", "scale", *FOLDERS)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which parts, with which language model, and whether the queries themselves are shown."""
    add_model_options(parser)
    parser.add_argument("--texts", action="store_true", help="also show the queries, to read them")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure; all by default")


def measure(report: Report) -> None:
    """The demo, drawn corpora, then what is written from real corpora."""
    asyncio.run(_measure(report))


async def _measure(report: Report) -> None:
    parts = ("demo",) if report.options.quick else report.options.extra.parts
    async with opened_service(CompactReader(cache_size=REMEMBERED)) as service, AsyncExitStack() as stack:
        runtime = service
        if report.options.extra.model and not report.options.quick:
            chat = language_model(report.options.extra.model)
            stack.push_async_callback(chat.aclose)
            runtime = replace(service, chat=chat)
        if "demo" in parts:
            await _measure_demo(report, runtime)
        if "worlds" in parts:
            await _measure_worlds(report, runtime)
        if "disputes" in parts:
            await measure_disputes(report, runtime)
        if "scale" in parts:
            await measure_scale(report, runtime)
        if "wording" in parts and runtime.chat is not None:
            await measure_wordings(
                report, "demo", [(row.title, row.content) for row in load_corpus().documents], runtime.chat, WORDED
            )
            pages = [
                ("", document.content) for _, document in FOLDERS["health_pages_dev"](report.folder("health_pages_dev"))
            ]
            await measure_wordings(report, "health_pages_dev", pages, runtime.chat, WORDED)
        for name in set(FOLDERS) & set(parts):
            corpus = await load(runtime, name.replace("_", "-"), FOLDERS[name](report.folder(name)))
            progress(f"{name} loaded")
            parameters = GenerationParameters(queries=MOST, max_seconds=SECONDS)
            await _generate(report, runtime, corpus, name, parameters)


async def _measure_demo(report: Report, runtime: Runtime) -> None:
    quick = report.options.quick
    few, draws = (QUICK_FEW, QUICK_DRAWS) if quick else (FEW, DRAWS)
    corpus = (await load_documents(runtime)).corpus
    known = KnownCorpus(corpus, demo.truth())
    parameters = GenerationParameters(queries=few if quick else MOST)
    await _generate(report, runtime, corpus, "demo", parameters)
    # Nothing of the given queries may be known to the generation.
    await load_queries(runtime, corpus)
    rows = []
    for origin in ORIGINS:
        rows.append(await _row_of_draws(report, runtime, known, origin, few, draws))
        if quick:
            continue
        everything = await estimated(runtime, known, origin, await ids_of(runtime, corpus, origin))
        right, judged = await demo.right_answers(runtime, corpus)
        rows.append([*_row(f"all {everything.queries} {origin}", [everything])[:-1], f"{right} of {judged}"])
        report.figures[f"correlation/{origin}"] = everything.correlation
        report.figures[f"right/{origin}"] = right / judged
        progress(f"demo: estimated from {origin} queries")
    report.table("Reliabilities of the demo's sources", COLUMNS, rows)
    if not quick:
        await _measure_widths(report, runtime, "demo", known)


async def _measure_worlds(report: Report, runtime: Runtime) -> None:
    facts = country_facts(report.folder("countries"))
    for name, synthetic in worlds.drawn_worlds(facts, seed=0):
        known = await worlds.publish(runtime, synthetic)
        await _generate(report, runtime, known.corpus, name, WORLD)
        await worlds.give_queries(runtime, known, synthetic)
        rows = []
        for origin in ORIGINS:
            for few in SIZES:
                rows.append(await _row_of_draws(report, runtime, known, origin, few, DRAWS, name))
                progress(" ".join([name, *rows[-1]]))
            everything = await estimated(runtime, known, origin, await ids_of(runtime, known.corpus, origin))
            right, judged = await worlds.right_answers(runtime, known, synthetic)
            rows.append([*_row(f"all {everything.queries} {origin}", [everything])[:-1], f"{right} of {judged}"])
            progress(" ".join([name, *rows[-1]]))
            report.figures |= {f"{name}/correlation/{origin}": everything.correlation, f"{name}/right/{origin}": right}
        report.table(f"Reliabilities of the sources of {name}", COLUMNS, rows)


async def _row_of_draws(
    report: Report, runtime: Runtime, known: KnownCorpus, origin: QueryOrigin, few: int, draws: int, name: str = ""
) -> list[str]:
    ids = await ids_of(runtime, known.corpus, origin)
    runs = [await estimated(runtime, known, origin, drawn(ids, few, seed)) for seed in range(draws)]
    prefix = f"{name}/" if name else ""
    report.figures[f"{prefix}correlation/{origin}/{few}"] = float(np.mean([row.correlation for row in runs]))
    return _row(f"{few} {origin}, mean of {draws} draws", runs)


def _row(name: str, runs: Sequence[Estimated]) -> list[str]:
    figures = np.array([[run.correlation, run.difference, run.copy_groups, run.topics] for run in runs]).mean(axis=0)
    return [name, f"{figures[0]:.3f}", f"{figures[1]:.3f}", f"{figures[2]:.1f}", f"{figures[3]:.1f}", ""]


async def _measure_widths(report: Report, runtime: Runtime, name: str, known: KnownCorpus) -> None:
    ratios = [await width_error(runtime, known, QueryOrigin.GENERATED, FEW, seed) for seed in range(DRAWS)]
    report.table(
        f"Mean width of the intervals of {name} with 20 more than {FEW} generated queries, by the expected one",
        ["draws", "mean", "least", "most"],
        [[DRAWS, f"{np.mean(ratios):.2f}", f"{min(ratios):.2f}", f"{max(ratios):.2f}"]],
    )
    report.figures[f"{name}/width by expected width"] = float(np.mean(ratios))


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


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
