"""Liars with a good name: how many it takes until their lies are adopted, and whether the run says so."""

from benchmarks.harness import Benchmark, Headline

_METHODS = {"one_coin": "one_coin", "iwmv": "iwmv", "majority": "majority"}


def _headline(attack: str, title: str) -> Headline:
    return Headline(
        f"liars until half of the targets are adopted, 30 honest sources, {title}",
        f"{attack}.30.auto.k",
        {name: f"{attack}.30.{figure}.k" for name, figure in _METHODS.items()},
        form=".0f",
    )


BENCHMARK = Benchmark(
    "poisoning",
    "liars with a good name: how many it takes, and what the run says",
    page="poisoning",
    headlines=(
        _headline("right nine times in ten elsewhere", "liars right nine times in ten elsewhere"),
        _headline("as good as the others elsewhere", "liars as good as the others elsewhere"),
        _headline("lie everywhere, 60 % shared", "liars who lie everywhere"),
    ),
)
