"""`python -m benchmarks.web`: right answers and adopted lies on web results, with the compact reader."""

import asyncio

from answering.readers import CompactReader
from benchmarks.harness import Report, run
from benchmarks.web import BENCHMARK
from benchmarks.web.questions import load
from benchmarks.web.tables import tabulate
from benchmarks.web.worlds import Worlds

QUICK = 3
"""Questions of the quick form."""
# Pairs of a question and a passage that the reader remembers over all corpora and rivals.
REMEMBERED = 400_000


def measure(report: Report) -> None:
    """Run all worlds and report them."""
    folder = report.folder("realtime_web")
    questions = load(folder / "questions.json.gz", QUICK if report.options.quick else None)
    worlds = Worlds(questions)
    asyncio.run(worlds.run(CompactReader(cache_size=REMEMBERED)))
    report.figure("questions", len(questions))
    tabulate(report, questions, worlds)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
