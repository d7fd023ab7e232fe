"""`python -m benchmarks.load`: everything that a service does at the same time, for minutes or an hour, and what grows.

Sources publish documents, a schedule estimates anew every minute, clients ask questions, dashboards are open. The
service is `credence serve`, beside workers, on a PostgreSQL of its own, over HTTP, with the compact reader; all of it,
also what makes the load, runs on one machine. Questions come at their times, however long those before them take.

- `chronicle`: towns, what is true of them, and what sources write and clients ask about them
- `processes`: the service, the workers and their database, sampled while they work
- `traffic`: questions, imports and dashboards, each at its rate
- `trends`: what of all this rises over the second half
- `tables`, `plot`: the report
"""

from benchmarks.harness import Benchmark, Headline

BENCHMARK = Benchmark(
    "load",
    "ingest, estimation, questions and dashboards at the same time: what fails, and what grows",
    page="load",
    headlines=(
        Headline("requests that failed", "failed", aim=0, higher_is_better=False, form=",.0f"),
        Headline("of requests in all", "requests", form=",.0f"),
        Headline("series that grow over the second half", "growing", aim=0, higher_is_better=False, form=".0f"),
        Headline("a question, median", "p50_ms", {"99th percentile": "p99_ms"}, higher_is_better=False, form=",.0f ms"),
        Headline(
            "memory of the service at the end",
            "service_mib",
            {"of a worker": "worker_mib", "of PostgreSQL": "postgres_mib"},
            higher_is_better=False,
            form=".0f MiB",
        ),
        Headline("the longest that a job waited", "oldest_job_seconds", higher_is_better=False, form=".1f s"),
    ),
)
