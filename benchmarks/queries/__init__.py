"""Queries written from documents, against the queries of a person and the truth, and what they are on real corpora."""

from benchmarks.harness import Benchmark, Headline

BENCHMARK = Benchmark(
    "queries",
    "queries written from documents, against given ones and the truth",
    "queries",
    (
        Headline(
            "correlation of reliabilities with the truth, from generated queries",
            "correlation/generated",
            {"from the given queries": "correlation/given"},
        ),
        Headline(
            "the same, from 25 of them",
            "correlation/generated/25",
            {"from 25 of the given queries": "correlation/given/25"},
        ),
        Headline(
            "share of right answers by these reliabilities",
            "right/generated",
            {"by those from the given queries": "right/given"},
        ),
    ),
)
