"""The estimator: accuracy, error and coverage of its reliabilities, speed and memory, beside crowd-kit."""

from benchmarks.harness import Benchmark, Headline

_HAMMERS, _BETA = "spammer_hammer.9.200", "beta.9.1000"
_RIVALS = ("crowd-kit OneCoin", "crowd-kit DawidSkene")

BENCHMARK = Benchmark(
    "estimator",
    "estimation of reliabilities: accuracy, error, coverage, speed",
    page="estimator",
    headlines=(
        Headline(
            "right answers of one_coin, 9 sources, 200 queries, spammers and hammers",
            f"{_HAMMERS}.one_coin.accuracy",
            {name: f"{_HAMMERS}.{name}.accuracy" for name in ("majority", "iwmv", *_RIVALS)},
        ),
        Headline(
            "RMSE of reliabilities of one_coin, 9 sources, 1,000 queries, Beta(6, 4)",
            f"{_BETA}.one_coin.reliability_rmse",
            {
                "floor": f"{_BETA}.oracle, floor.reliability_rmse",
                **{name: f"{_BETA}.{name}.reliability_rmse" for name in ("majority", "iwmv", "crowd-kit OneCoin")},
            },
            higher_is_better=False,
            form=".3g",
        ),
        Headline(
            "the same, as a multiple of the floor",
            f"{_BETA}.one_coin.rmse_over_floor",
            aim=1.15,
            higher_is_better=False,
            form=".2f",
        ),
        Headline(
            "share of reliabilities in their 90 % intervals, one_coin", "coverage.one_coin", {"iwmv": "coverage.iwmv"}
        ),
        Headline(
            "crowdsourced labels: most that auto is behind the best rival on a set",
            "crowd.auto_behind_best_rival",
            higher_is_better=False,
            form=".4f",
        ),
        Headline(
            "12.0 million votes, iwmv",
            "seconds.D.iwmv",
            {name: f"seconds.D.{name}" for name in ("crowd-kit Wawa", "crowd-kit OneCoin")},
            higher_is_better=False,
            form=".3g s",
        ),
        Headline("the same, Wawa's time over iwmv's", "speedup.D.iwmv.crowd-kit Wawa", aim=46, form=".1f"),
        Headline("the same, OneCoin's time over one_coin'", "speedup.D.one_coin.crowd-kit OneCoin", aim=20, form=".1f"),
    ),
)
