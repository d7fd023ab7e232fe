"""`python -m benchmarks.billion`: estimates by votes in Parquet files that need not fit one process.

Votes of a known world with heavy-tailed sources are written to disk, file by file. Then `majority`, `iwmv` and
`one_coin` are fitted by one and by two workers of Ray and by this engine in one process, each in processes of their
own, beside reading the same files alone and beside `estimator.estimate` on all votes in memory. A worker is killed in
the middle of a fit.
- `world`: the votes and the truth they were drawn from
- `once`: one fit, in a process of its own
- `peak`: the memory of a process and of all that it started
"""

from benchmarks.harness import Benchmark, Headline

BENCHMARK = Benchmark(
    "billion",
    "estimates by a billion votes in files",
    page="billion",
    headlines=(
        Headline(
            "seconds of one_coin by two workers",
            "one_coin.ray-2.seconds",
            rivals={
                "one worker": "one_coin.ray-1.seconds",
                "no Ray": "one_coin.local.seconds",
                "votes in memory": "one_coin.memory.seconds",
                "reading alone": "reading.seconds",
            },
            higher_is_better=False,
            form=",.0f s",
        ),
        Headline(
            "memory of all its processes at most",
            "one_coin.ray-2.peak_gib",
            rivals={"votes in memory": "one_coin.memory.peak_gib"},
            aim=8,
            higher_is_better=False,
            form=".1f GiB",
        ),
        Headline("seconds more where a worker is killed", "kill.seconds_more", higher_is_better=False, form=",.0f s"),
    ),
)
