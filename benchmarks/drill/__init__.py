"""`python -m benchmarks.drill`: bombs, kills, floods, races and stops against a running service.

The service is the real one: a process of its own with an embedded PostgreSQL, over HTTP, with a model server on
loopback that takes 50 ms a reading. Every promise is tried many times; what did not hold is counted.

- `service`: the process, started, stopped and killed; the writer beside it, and the look at whether it lives
- `inputs`: imports that burst, hostile documents, clients that send nothing
- `crashes`: PostgreSQL and the service killed, backups under load
- `attacks`, `aftermath`, `files`: what `python -m benchmarks.attacks` tries
- `recovery`: a database taken back to the moment before a mistake
- `load`: more questions than can be answered, writes on one resource at once, stops under load
"""

from benchmarks.harness import Benchmark, Headline

BENCHMARK = Benchmark(
    "drill",
    "promises of a running service under bombs, kills, floods, races and stops",
    page="drill",
    headlines=(
        Headline("promises that did not hold, over all trials", "losses", aim=0, higher_is_better=False, form=",.0f"),
        Headline("trials", "trials", form=",.0f"),
        Headline("worst answer of /livez during a bomb", "worst_livez", aim=0.5, higher_is_better=False, form=".2f s"),
        Headline(
            "99th percentile of 200 questions at once / of 16", "flood_ratio", aim=2, higher_is_better=False, form=".2f"
        ),
    ),
)
