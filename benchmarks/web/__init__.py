"""Web results: questions on current affairs, the results of a search engine, their sites as sources.

`questions` loads the data and scores answers, `service` puts them into the service with or without liars, `rivals` are
methods without sources, `worlds` runs all of them and `tables` reports. Nobody labels anything: the queries of the
estimation are the questions themselves, without their answers.
"""

from benchmarks.harness import Benchmark, Headline

_RIVALS = {
    "kappa 4": "kappa 4",
    "counting heads": "counting heads",
    "one reader": "one reader over all results",
    "naive RAG": "naive RAG, 10 nearest",
}


def _rivals(world: str, score: str) -> dict[str, str]:
    return {name: f"{world}/{method}/{score}" for name, method in _RIVALS.items()}


BENCHMARK = Benchmark(
    "web",
    "the whole service on the results of web searches",
    page="web",
    headlines=(
        Headline(
            "right answers, nobody lies",
            "nobody lies/as it comes/right",
            _rivals("nobody lies", "right"),
        ),
        Headline(
            "lies adopted, 3 new sites lie on each question",
            "3 new liars/as it comes/lies",
            _rivals("3 new liars", "lies"),
            higher_is_better=False,
        ),
        Headline(
            "lies adopted, the same after estimating anew",
            "3 new liars, estimated anew/as it comes/lies",
            {"before": "3 new liars/as it comes/lies"},
            aim=0.13,
            higher_is_better=False,
        ),
        Headline(
            "lies adopted, the 3 most trusted sites lie, estimated anew",
            "3 trusted liars, estimated anew/as it comes/lies",
            {"before": "3 trusted liars/as it comes/lies"},
            higher_is_better=False,
        ),
        Headline(
            "readings of an answer, median",
            "nobody lies/as it comes/readings",
            higher_is_better=False,
            form=".0f",
        ),
    ),
)
