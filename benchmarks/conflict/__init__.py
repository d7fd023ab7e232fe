"""ConflictScore as the service computes it: conflicts detected, the cost of a score, and responses regenerated."""

from benchmarks.harness import Benchmark, Headline

BENCHMARK = Benchmark(
    "conflict",
    "ConflictScore: detection, cost, regenerated responses",
    page="conflict",
    headlines=(
        Headline("F1 of conflicts, RAMDocs", "compact_ramdocs_f1", {"words": "words_ramdocs_f1"}),
        Headline("F1 of conflicts, ConflictNQ", "compact_conflictnq_f1", {"words": "words_conflictnq_f1"}),
        *(
            Headline(
                f"F1 of conflicts, 25 questions of {title}",
                f"sample_compact_{data}_f1",
                {"Qwen2.5-Coder-1.5B": f"sample_language model_{data}_f1", "words": f"sample_words_{data}_f1"},
            )
            for title, data in (("RAMDocs", "ramdocs"), ("ConflictNQ", "conflictnq"))
        ),
        Headline(
            "truthful responses, regenerated with their conflicts",
            "truthful_fed_back",
            {"plain": "truthful_plain", "asked to mind contradictions": "truthful_careful"},
        ),
        Headline("score of an answer, median", "milliseconds_a_question", higher_is_better=False, form=".0f ms"),
    ),
)
