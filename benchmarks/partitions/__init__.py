"""Partitioning of passages by source: search, planning, new sources and ingest under LIST, HASH and a mix."""

from benchmarks.harness import Benchmark, Headline

BENCHMARK = Benchmark(
    "partitions",
    "layouts of the passages table: search and ingest",
    page="storage",
    headlines=(
        Headline(
            "recall of one source's top 3, 1,000 sources in 16 HASH partitions, exact",
            "nearest.hash_1000_16.exact, covering key.recall",
            {
                "HNSW": "nearest.hash_1000_16.HNSW, off.recall",
                "HNSW, iterated": "nearest.hash_1000_16.HNSW, relaxed order.recall",
            },
        ),
        Headline(
            "hybrid top 3 of each of 8 sources, of a million passages",
            "hybrid_hash_1000_16_8_p50_ms",
            {"without the covering key": "hybrid_hash_1000_16_8_rows_p50_ms"},
            higher_is_better=False,
            form=".1f ms",
        ),
        Headline(
            "candidate sources of a corpus of a million passages",
            "candidates_large_p50_ms",
            {"one scan of the table": "candidates_large_table_p50_ms"},
            higher_is_better=False,
            form=",.0f ms",
        ),
    ),
)
