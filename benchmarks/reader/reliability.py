"""`python -m benchmarks.reader.reliability`: is the compact reader right as often as it is confident?

On passages that no setting of the reader has seen, as a table and as `docs/results/plots/reader_reliability.png`. A
reading is right if it holds an accepted answer or is of its answer class; from a passage without an answer none is, and
from one that lies the lie is. The reader runs without its threshold, so that the readings that it would keep to itself
count too.
"""

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from answering.readers import CompactReader
from benchmarks.data.splits import Part, ramdocs_examples
from benchmarks.data.squad import Example, load_squad
from benchmarks.data.web_results import WebResult
from benchmarks.harness import Benchmark, Report, run
from benchmarks.harness.reliability import Judged, measure_reliability
from benchmarks.multisource.conflicts import Conflict, load_conflictnq, load_rgb

BENCHMARK = Benchmark(
    "reader.reliability", "confidence of the compact reader beside its share of right answers", "reader"
)
QUICK = 60
"""Passages of each set in the quick form."""
SEED = 11


def measure(report: Report) -> None:
    """The table and the plot of all sets."""
    reader = CompactReader(threads=1, threshold=0.0)
    measured = {name: asyncio.run(_rated(reader, _sampled(report, results))) for name, results in _sets(report).items()}
    title = "The confidence of the compact reader on sets that no setting has seen"
    measure_reliability(report, title, measured, "reader_reliability.png")


def _sets(report: Report) -> Mapping[str, list[WebResult]]:
    """By name, questions with a passage and the answers that it gives."""
    data = report.options.data
    for folder in ("ramdocs", "reader_train", "rgb", "conflictnq"):
        report.folder(folder)
    return {
        "RAMDocs, reported quarter": list(map(_of_example, ramdocs_examples(data, Part.REPORT))),
        "XQuAD-en": list(map(_of_example, load_squad(data / "reader_train" / "xquad.en.json.gz"))),
        "RGB": [result for conflict in load_rgb(data) for result in _of_conflict(conflict)],
        "ConflictNQ": [result for conflict in load_conflictnq(data) for result in _of_conflict(conflict)],
    }


def _of_example(example: Example) -> WebResult:
    return WebResult(example.question, example.passage, (example.answer,) if example.answer else ())


def _of_conflict(conflict: Conflict) -> Iterator[WebResult]:
    fact = conflict.fact
    for passages, answers in (
        (conflict.true, fact.golds),
        (conflict.false, fact.wrong[:1]),
        (conflict.noise, fact.golds),
    ):
        for passage in passages:
            yield WebResult(fact.question, passage, tuple(answers))


def _sampled(report: Report, results: Sequence[WebResult]) -> list[WebResult]:
    count = QUICK if report.options.quick else len(results)
    return random.Random(SEED).sample(list(results), min(count, len(results)))


async def _rated(reader: CompactReader, results: Sequence[WebResult]) -> Judged:
    """Every reading with an answer."""
    readings = [(result, await reader.read(result.question, [result.passage])) for result in results]
    rated = [(reading.confidence, result.accepts(reading.answer)) for result, reading in readings if reading.answer]
    confidence, right = zip(*rated, strict=True)
    return Judged(np.array(confidence), np.array(right))


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
