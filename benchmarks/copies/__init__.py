"""Copying sources: what they cost methods that do not expect them, and whether the search finds them."""

from benchmarks.harness import Benchmark, Headline

_METHODS = {
    "majority": "majority",
    "iwmv": "iwmv",
    "crowd-kit OneCoin": "crowd-kit OneCoinDawidSkene",
    "AccuCopy": "AccuCopy",
}

BENCHMARK = Benchmark(
    "copies",
    "copying sources: accuracy with and without the search for copies",
    page="copies",
    headlines=(
        Headline(
            "right answers, 5 independent sources against one at 0.35 with 4 exact copiers",
            "star.1.0.4.copies found, iwmv",
            {name: f"star.1.0.4.{figure}" for name, figure in _METHODS.items()},
        ),
        Headline(
            "precision on booksellers' author lists (100 golden truths)",
            "books, golden.auto",
            {name: f"books, golden.{figure}" for name, figure in _METHODS.items()},
        ),
        Headline(
            "blocs: one kind of question with two meanings, 6,000 queries",
            "blocs.6000.auto",
            {
                "majority": "blocs.6000.majority",
                "one_coin": "blocs.6000.one_coin",
                "true groups": "blocs.6000.true groups, one_coin",
            },
        ),
        Headline(
            "pairs accused where nobody copies", "innocent.pairs_accused", aim=0, higher_is_better=False, form=".0f"
        ),
        Headline("100,000 sources, 4.0 million votes", "scale.100000.seconds", higher_is_better=False, form=".1f s"),
    ),
)
