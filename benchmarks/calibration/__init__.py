"""Whether the figures of an answer hold: its confidence, the intervals of reliabilities, and its certificate.

`worlds` draws votes of known truth, `electorates` draws small electorates with everything that an electorate knows, and
`brute_force` corrupts every set of their sources.
"""

from benchmarks.harness import Benchmark, Headline

BENCHMARK = Benchmark(
    "calibration",
    "whether confidence, intervals and certificates hold",
    page="calibration",
    headlines=(
        Headline(
            "calibration error of confidence, open answers, fitted on 200 queries",
            "worlds/beta, 9 wrong answers, 200/error",
            {"nine wrong answers, points": "worlds/beta, 9 wrong answers, 200/error before"},
            aim=0.03,
            higher_is_better=False,
        ),
        Headline(
            "calibration error of confidence, yes or no, fitted on 200 queries",
            "worlds/beta, 1 wrong answers, 200/error",
            {"nine wrong answers, points": "worlds/beta, 1 wrong answers, 200/error before"},
            aim=0.03,
            higher_is_better=False,
        ),
        Headline("certificates unlike brute force", "certificates/wrong", aim=0, higher_is_better=False, form=".0f"),
    ),
)
