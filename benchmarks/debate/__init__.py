"""Debates beside baselines on ambiguous questions with misinformation and noise (RAMDocs): accuracy and cost."""

from benchmarks.harness import Benchmark, Headline

_OTHERS = ("vote", "concatenated", "madam T=3", "astute", "drag")

BENCHMARK = Benchmark(
    "debate",
    "strategies on RAMDocs: vote, debates, auto",
    page="debates",
    headlines=(
        Headline(
            "strictly right answers of auto, all documents",
            "strict, auto",
            {name: f"strict, {name}" for name in _OTHERS},
        ),
        Headline(
            "strictly right answers of auto, documents of selected sources",
            "strict, auto@selected",
            {name: f"strict, {name}@selected" for name in _OTHERS},
        ),
        Headline(
            "model calls of auto a question, all documents",
            "calls, auto",
            {name: f"calls, {name}" for name in _OTHERS},
            higher_is_better=False,
            form=".1f",
        ),
    ),
)
