"""`python -m benchmarks.questions`: questions over large corpora, by exact search and with the index of embeddings.

Measured for each size are the time of a question without reading, beside the SQL statements that it sends; what the
index finds of what exact search finds; how long it takes to build, its disk, and the speed of an ingest with it and
without. `--passages 10000 100000 1000000` makes the curve; 10 million take some 50 GB of disk and an hour.
"""

import argparse
import asyncio
import time
from dataclasses import dataclass

import numpy as np
from sqlalchemy.engine import URL

from benchmarks.harness import Report, database, progress, run
from benchmarks.questions import BENCHMARK
from benchmarks.questions.asking import WARMING, Asked, ask_all
from benchmarks.questions.corpus import fill
from benchmarks.questions.searching import Found, build, find, ingest_rate, recall
from registry.jobs.housekeeping import FIRST_PASSAGES

FULL, QUICK = [1_000_000], [20_000]
MIN_PASSAGES_A_SOURCE = 20
MAX_SOURCES = 1_000
# A checkpoint for every gigabyte written would take most of the time of filling.
WAL = "8GB"


@dataclass(frozen=True, slots=True)
class Measured:
    """One size, by exact search and with the index."""

    passages: int
    sources: int
    filled: float
    """Seconds."""
    exact: Asked
    indexed: Asked
    found_exactly: Found
    found: Found
    build_seconds: float
    index_bytes: float
    ingest: tuple[float, float]
    """Passages a second without the index and with it."""

    @property
    def candidates_recall(self) -> float:
        return recall(self.found_exactly.candidates, self.found.candidates)

    @property
    def nearest_recall(self) -> float:
        """Of the 20 most relevant candidates."""
        return recall([found[:20] for found in self.found_exactly.candidates], self.found.candidates)

    @property
    def passages_recall(self) -> float:
        return recall(self.found_exactly.of_large_source, self.found.of_large_source)

    @property
    def equal_answers(self) -> float:
        return float(np.mean([a == b for a, b in zip(self.exact.answers, self.indexed.answers, strict=True)]))


def add_options(parser: argparse.ArgumentParser) -> None:
    """The sizes, and how much memory Postgres uses."""
    parser.add_argument("--passages", type=int, nargs="+", help="sizes of the corpus")
    parser.add_argument("--questions", type=int, help="asked of each size (default 200; 30 with --quick)")
    parser.add_argument("--shared-buffers", default="128MB", help="memory of Postgres, by default its own default")


def measure(report: Report) -> None:
    """All sizes; the figures are those of the last one."""
    extra = report.options.extra
    sizes = extra.passages or (QUICK if report.options.quick else FULL)
    measured = []
    for passages in sizes:
        with database.temporary_server({"shared_buffers": extra.shared_buffers, "max_wal_size": WAL}) as (url, _):
            measured.append(_measure(url, passages, extra.questions or (30 if report.options.quick else 200)))
    _tables(report, measured)
    last = measured[-1]
    for name, asked in (("", last.indexed), ("exact_", last.exact)):
        for share in (50, 95):
            report.figure(f"{name}p{share}_ms", asked.milliseconds(share))
            report.figure(f"{name}bare_p{share}_ms", asked.milliseconds(share, bare=True))
    for share in (50, 95):
        ratio = last.indexed.milliseconds(share) / last.indexed.milliseconds(share, bare=True)
        report.figure(f"ratio_p{share}", ratio)
    report.figure("candidates_recall", last.candidates_recall)
    report.figure("nearest_candidates_recall", last.nearest_recall)
    report.figure("passages_recall", last.passages_recall)
    report.figure("equal_answers", last.equal_answers)
    report.figure("index_seconds", last.build_seconds)
    report.figure("index_mib", last.index_bytes / 2**20)
    report.figure("ingest_per_second", last.ingest[1])
    report.figure("ingest_ratio", last.ingest[1] / last.ingest[0])


def _measure(url: URL, passages: int, questions: int) -> Measured:
    sources = min(max(passages // MIN_PASSAGES_A_SOURCE, 1), MAX_SOURCES)
    began = time.perf_counter()
    large_source, asked = fill(url, passages=passages, sources=sources, questions=questions + WARMING)
    filled = time.perf_counter() - began
    documents = min(max(passages // 2_000, 20), 200)

    async def both() -> Measured:
        exact, found_exactly = await ask_all(url, asked), await find(url, asked, large_source)
        progress(f"asked by exact search: {exact.milliseconds(50):.0f} ms")
        ingest_exact = await ingest_rate(url, documents, "without-index")
        build_seconds, index_bytes = await build(url)
        progress(f"index built in {build_seconds:.0f} s")
        indexed, found = await ask_all(url, asked), await find(url, asked, large_source)
        progress(f"asked with the index: {indexed.milliseconds(50):.0f} ms")
        ingest = ingest_exact, await ingest_rate(url, documents, "with-index")
        return Measured(
            passages,
            sources,
            filled,
            exact,
            indexed,
            found_exactly,
            found,
            build_seconds,
            index_bytes,
            ingest,
        )

    return asyncio.run(both())


def _tables(report: Report, measured: list[Measured]) -> None:
    times = []
    for size in measured:
        for name, asked in (("exact", size.exact), ("index", size.indexed)):
            cells = [f"{asked.milliseconds(share, bare=bare):.1f}" for bare in (False, True) for share in (50, 95)]
            times.append([f"{size.passages:,}", f"{size.sources:,}", name, *cells, f"{np.mean(asked.statements):.0f}"])
    report.table(
        "A question without reading",
        ["passages", "sources", "search", "p50 ms", "p95 ms", "its SQL p50 ms", "p95 ms", "statements"],
        times,
    )
    report.table(
        "What the index finds of what exact search finds",
        ["passages", "candidate sources", "the 20 nearest", "top 3 of the large source", "equal answers"],
        [
            [
                f"{size.passages:,}",
                *(
                    f"{share:.3f}"
                    for share in (
                        size.candidates_recall,
                        size.nearest_recall,
                        size.passages_recall,
                        size.equal_answers,
                    )
                ),
            ]
            for size in measured
        ],
    )
    report.table(
        f"What it costs; by default it is built from {FIRST_PASSAGES:,} passages",
        ["passages", "build s", "index MiB", "ingest a second", "without", "ratio", "large source p50 ms", "exact"],
        [
            [
                f"{size.passages:,}",
                f"{size.build_seconds:.1f}",
                f"{size.index_bytes / 2**20:.0f}",
                f"{size.ingest[1]:,.0f}",
                f"{size.ingest[0]:,.0f}",
                f"{size.ingest[1] / size.ingest[0]:.2f}",
                f"{np.median(size.found.large_source_seconds) * 1e3:.1f}",
                f"{np.median(size.found_exactly.large_source_seconds) * 1e3:.1f}",
            ]
            for size in measured
        ],
    )
    report.table(
        "Filling", ["passages", "seconds"], [[f"{size.passages:,}", f"{size.filled:.0f}"] for size in measured]
    )


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
