"""The compact judge: labels of claims against passages, and conflicts found among documents."""

from benchmarks.harness import Benchmark, Headline


def _f1(title: str, data: str) -> Headline:
    return Headline(
        f"F1 of conflicts among documents, {title}",
        f"compact_{data}_f1",
        {"words": f"words_{data}_f1", "32 bits": f"other weights_{data}_f1"},
        aim=0.85,
    )


BENCHMARK = Benchmark(
    "judge",
    "the compact judge: accuracy and speed",
    page="judge",
    headlines=(
        _f1("RAMDocs", "ramdocs"),
        _f1("ConflictNQ", "conflictnq"),
        Headline(
            "accuracy on XQuAD, mean over the labels",
            "compact_xquad_accuracy",
            {"words": "words_xquad_accuracy", "32 bits": "other weights_xquad_accuracy"},
        ),
        Headline(
            "macro F1 of the four labels on FNC-1",
            "compact_fnc_f1",
            {"words": "words_fnc_f1", "32 bits": "other weights_fnc_f1"},
        ),
        Headline("pairs a second, two threads", "pairs_a_second_2", form=".0f"),
    ),
)
