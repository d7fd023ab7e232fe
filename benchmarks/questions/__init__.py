"""Questions over large corpora: time beside their SQL, and the approximate index of embeddings beside exact search."""

from benchmarks.harness import Benchmark, Headline

BENCHMARK = Benchmark(
    "questions",
    "time of a question without reading",
    page="storage",
    headlines=(
        Headline(
            "a question over a million passages, median",
            "p50_ms",
            {"its SQL alone": "bare_p50_ms", "exact search": "exact_p50_ms"},
            aim=60,
            higher_is_better=False,
            form=".0f ms",
        ),
        Headline(
            "the same, 95th percentile",
            "p95_ms",
            {"exact search": "exact_p95_ms"},
            aim=150,
            higher_is_better=False,
            form=".0f ms",
        ),
        Headline("candidate sources of exact search that the index finds", "candidates_recall", aim=0.95, form=".3f"),
        Headline("equal answers", "equal_answers", aim=0.98, form=".3f"),
        Headline("the same, as a multiple of its SQL", "ratio_p50", aim=1.5, higher_is_better=False, form=".2f"),
    ),
)
