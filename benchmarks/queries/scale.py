"""Seconds and memory of a generation beside those of the import of its documents, by their number.

Two corpora: reports on towns by twenty sources, which state facts that rules can ask; and prose of invented words,
which states none, so that every document is searched in vain.
"""

import time
from collections import defaultdict
from typing import Final

import numpy as np
import psutil

from benchmarks.harness import Report, progress
from benchmarks.harness.database import passage_texts, vocabulary
from benchmarks.harness.processes import MIB, peak_bytes, reset_peak, resident_mib
from benchmarks.load.chronicle import Chronicle
from benchmarks.multisource.service import publish
from registry.corpora import store as corpora
from registry.corpora.schemas import CorpusInput
from registry.documents.schemas import DocumentInput
from registry.query_generations import service as query_generation
from registry.query_generations.schemas import GenerationParameters, GenerationReport
from registry.runtime import Runtime

SIZES: Final = (1_000, 100_000)
SOURCES: Final = 20
LONGEST: Final = 600.0
"""Most seconds of a generation."""
COLUMNS: Final = (
    "corpus", "documents", "import, s", "generation, s", "generation by import", "queries", "documents searched",
    "readings", "resident before, MiB", "at most, MiB",
)  # fmt: skip
Documents = dict[str, list[DocumentInput]]


async def measure_scale(report: Report, runtime: Runtime) -> None:
    """Both corpora in both sizes, in the same process."""
    rows = []
    for name, documents_of in (("towns", towns), ("prose", prose)):
        for size in SIZES:
            rows.append(await _row(report, runtime, name, documents_of(size)))
            progress(" ".join(rows[-1]))
    report.table("A generation with the defaults beside the import of its documents", COLUMNS, rows)


def towns(count: int) -> Documents:
    """Reports of all sources on `count / SOURCES` towns."""
    chronicle = Chronicle(SOURCES, np.random.default_rng(11))
    by_source: defaultdict[str, list[DocumentInput]] = defaultdict(list)
    for _ in range(count // SOURCES):
        for row in chronicle.new_town():
            source = row.pop("source")
            by_source[source].append(DocumentInput.model_validate(row))
    return by_source


def prose(count: int) -> Documents:
    """Documents of sixty invented words in four sentences."""
    texts = passage_texts(np.array(vocabulary()), count, np.random.default_rng(12))
    by_source: defaultdict[str, list[DocumentInput]] = defaultdict(list)
    for number, text in enumerate(texts):
        words = text.split()
        sentences = [" ".join(words[at : at + 15]).capitalize() for at in range(0, len(words), 15)]
        content = ". ".join(sentences) + "."
        by_source[f"Source {number % SOURCES}"].append(DocumentInput(external_id=str(number), content=content))
    return by_source


async def _row(report: Report, runtime: Runtime, name: str, documents: Documents) -> list[str]:
    size = sum(map(len, documents.values()))
    async with runtime.database.begin() as session:
        corpus_name = f"{name}-{size}"
        corpus = await corpora.create(session, CorpusInput(name=corpus_name, generate_queries=False))
    began = time.perf_counter()
    for source, of_source in documents.items():
        await publish(runtime, corpus, source, of_source)
    imported = time.perf_counter() - began
    documents.clear()
    before = resident_mib(psutil.Process())
    reset_peak()
    began = time.perf_counter()
    generation = await query_generation.run_now(runtime, corpus, GenerationParameters(max_seconds=LONGEST))
    seconds = time.perf_counter() - began
    peak = peak_bytes() / MIB
    counts = GenerationReport.model_validate(generation.report)
    report.figures |= {
        f"{corpus_name}/generation by import": seconds / imported,
        f"{corpus_name}/memory added, MiB": peak - before,
    }
    figures = (counts.queries, counts.documents, counts.readings)
    return [
        name, f"{size:,}", f"{imported:.0f}", f"{seconds:.0f}", f"{seconds / imported:.2f}",
        *(f"{figure:,}" for figure in figures), f"{before:.0f}", f"{peak:.0f}",
    ]  # fmt: skip
