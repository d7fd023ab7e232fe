"""`python -m benchmarks.conflict`: conflicts detected by ConflictScore, its cost, and responses regenerated with it.

Detection is measured as the service does it, on questions that nothing was trained or chosen on
(`benchmarks.data.claim_sets`): a short answer becomes a claim, documents are split into passages, and a conflict is
reported where CS-C is above 0. The minimum probability of a label is chosen on another part of the questions and
reported beside 0. Rivals are labels from shared words, the weights in the folder BENCHMARK_JUDGE and, on a sample, the
language model of `--model` (a GGUF file or URL#name), which also writes the responses. Its completions are kept in
BENCHMARK_KEPT (build/conflict), so that an interrupted run continues; `--sample` and `--responses` say how many.
"""

import argparse
import asyncio
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from answering.conflict import RuleSplitter, score_response
from answering.errors import ModelDamaged
from answering.judges import ChatJudge, Judge, Pair
from answering.judges.compact import CompactJudge
from benchmarks.conflict import BENCHMARK
from benchmarks.conflict.detection import ClaimSets, detect, detect_in_sample, replay_all
from benchmarks.conflict.documents import grounds_of
from benchmarks.conflict.feedback import measure_feedback
from benchmarks.conflict.model import cached_chat
from benchmarks.data.claim_sets import ClaimSet, load_conflictnq, load_ramdocs, sample_questions
from benchmarks.data.splits import Part
from benchmarks.harness import CannotMeasureError, Cell, Report, run
from benchmarks.harness.language_model import add_model_options, rehearse
from benchmarks.judge.lexical import LexicalJudge

TIMED_QUESTIONS, MODEL_QUESTIONS, RESPONSES = 40, 25, 40


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    add_model_options(parser)
    parser.add_argument("--sample", type=int, default=MODEL_QUESTIONS, help="questions of each set that a model judges")
    parser.add_argument("--responses", type=int, default=RESPONSES, help="questions that a model answers")


def measure(report: Report) -> None:
    """All parts of the benchmark."""
    reported, development = _claim_sets(report, Part.REPORT), _claim_sets(report, Part.CALIBRATION)
    judges = _judges(report)
    rows: list[list[Cell]] = []
    for method, judge in judges.items():
        rows += asyncio.run(detect(report, method, judge, reported, development))
    columns = ["sets of", "judge", "minimum probability", "sets", "precision", "recall", "F1", "95 %"]
    report.table("Conflicts found, on the reported quarter of the questions", columns, rows)
    _language_model(report, judges, reported)
    asyncio.run(_cost(report, judges["compact"], reported["ramdocs"]))
    if report.options.extra.responses:
        measure_feedback(report, judges["compact"], report.options.extra.responses)


def _claim_sets(report: Report, part: Part) -> dict[str, list[ClaimSet]]:
    claim_sets = {
        "ramdocs": load_ramdocs(report.folder("ramdocs"), part),
        "conflictnq": load_conflictnq(report.folder("conflictnq"), part),
    }
    if report.options.quick:
        return {name: sample_questions(claims, 10) for name, claims in claim_sets.items()}
    return claim_sets


def _judges(report: Report) -> dict[str, Judge]:
    judges: dict[str, Judge] = {"compact": CompactJudge(), "words": LexicalJudge()}
    try:
        asyncio.run(judges["compact"].judge_all([Pair("Is it warm? Yes.", "It is warm.")]))
    except ModelDamaged as error:
        raise CannotMeasureError(str(error)) from error
    if folder := os.environ.get("BENCHMARK_JUDGE"):
        judges["other weights"] = CompactJudge(Path(folder))
    else:
        report.rival_skipped("other weights", "BENCHMARK_JUDGE names no folder")
    return judges


def _language_model(report: Report, judges: Mapping[str, Judge], reported: ClaimSets) -> None:
    size = report.options.extra.sample
    chat = cached_chat(report, "language model as judge") if size else None
    if chat is None:
        return
    sample = {name: sample_questions(claims, size) for name, claims in reported.items()}
    if not asyncio.run(rehearse(report, chat, partial(replay_all, sample))):
        return
    rows = asyncio.run(detect_in_sample(report, {"language model": ChatJudge(chat), **judges}, sample))
    columns = ["sets of", "judge", "sets", "precision", "recall", "F1", "95 %", "s a question"]
    report.table("The same on a sample; cached replies take no time", columns, rows)


async def _cost(report: Report, judge: Judge, claim_sets: Sequence[ClaimSet]) -> None:
    """Time of scoring an answer against all documents of its question, one question after the other."""
    answers = list({claims.question: claims for claims in reversed(claim_sets)}.values())[:TIMED_QUESTIONS]
    seconds, passages = [], []
    for claims in answers:
        documents = grounds_of(claims)[0].documents
        passages.append(sum(len(document.parts) for document in documents))
        began = time.perf_counter()
        await score_response(claims.answer, documents, judge=judge, splitter=RuleSplitter(), question=claims.question)
        seconds.append(time.perf_counter() - began)
    median, ninetieth = np.percentile(seconds, [50, 90]) * 1000
    report.table(
        "Time of the score of an answer",
        ["questions", "passages a question", "median", "90 % below"],
        [[len(answers), f"{statistics.mean(passages):.1f}", f"{median:.0f} ms", f"{ninetieth:.0f} ms"]],
    )
    report.figure("milliseconds_a_question", float(median))


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
