"""`python -m benchmarks.workers`: many workers read one estimation, and are killed.

One estimation is read by 1, 2, 4 and 8 workers, in which as many readings come to each as one alone makes. Each is a
process of its own, `credence worker`, that shares nothing with the others but the database. A model server on loopback
takes 50 ms a reading and no processor time, and a worker makes one reading at a time (`--at-once`), so that the model
server is the limit and not the processor that all of them share. Beside the readings a second stands their ratio to
the rate of one worker times their number.

- `model`: the model server, which counts what it was asked more than once
- `world`: sources, queries, worker processes, and runs of which the time is taken
"""

from benchmarks.harness import Benchmark, Headline

BENCHMARK = Benchmark(
    "workers",
    "one estimation read by many workers, and by workers that are killed",
    page="workers",
    headlines=(
        Headline(
            "readings a second of 8 workers",
            "rate_8",
            rivals={"1": "rate_1", "2": "rate_2", "4": "rate_4"},
            form=",.0f",
        ),
        Headline("the same, as a share of eight times that of one", "linearity_8", aim=0.9, form=".2f"),
        Headline(
            "readings made twice a worker that was killed, of 1 in its hands",
            "repeated_a_kill",
            aim=1,
            higher_is_better=False,
            form=".2f",
        ),
    ),
)
