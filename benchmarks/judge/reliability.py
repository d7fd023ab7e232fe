"""`python -m benchmarks.judge.reliability`: is the compact judge right as often as it is sure of its label?

On pairs that no setting of the judge has seen, as a table and as `docs/results/plots/judge_reliability.png`.
"""

import asyncio
from collections.abc import Mapping

import numpy as np

from answering.judges import Judge, Label, Pair
from answering.judges.compact import CompactJudge
from benchmarks.data.claim_sets import (
    load_conflictnq,
    load_covidfact,
    load_findings,
    load_opinions,
    load_ramdocs,
    sampled,
)
from benchmarks.data.splits import Part
from benchmarks.harness import Benchmark, Report, run
from benchmarks.harness.reliability import Judged, measure_reliability
from benchmarks.judge.scores import true_labels

BENCHMARK = Benchmark(
    "judge.reliability", "probability of the compact judge's labels, and the share that is right", "judge"
)
QUICK, PAIRS = 25, 300
"""Pairs of each label of each set."""


def measure(report: Report) -> None:
    """The table and the plot of all sets."""
    judge = CompactJudge(threads=1)
    count = QUICK if report.options.quick else PAIRS
    measured = {name: asyncio.run(_judged(judge, sampled(truth, count))) for name, truth in _sets(report).items()}
    title = "The probability of the compact judge's labels on pairs that no setting has seen"
    measure_reliability(report, title, measured, "judge_reliability.png")


def _sets(report: Report) -> Mapping[str, Mapping[Pair, Label]]:
    stances = report.folder("stance_extra")
    return {
        "RAMDocs": true_labels(load_ramdocs(report.folder("ramdocs"), Part.REPORT)),
        "ConflictNQ": true_labels(load_conflictnq(report.folder("conflictnq"), Part.REPORT)),
        "Perspectrum": load_opinions(stances / "perspectrum.jsonl.gz", Part.REPORT),
        "PubMedQA": load_findings(stances / "pubmedqa.jsonl.gz", Part.REPORT),
        "COVID-Fact": load_covidfact(stances / "covidfact.jsonl.gz"),
    }


async def _judged(judge: Judge, truth: Mapping[Pair, Label]) -> Judged:
    judgements = await judge.judge_all(list(truth))
    confidence = [max(judgement.probabilities.values()) for judgement in judgements]
    right = [judgement.label is label for judgement, label in zip(judgements, truth.values(), strict=True)]
    return Judged(np.array(confidence), np.array(right))


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure))
