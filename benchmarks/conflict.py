"""ConflictScore as the service computes it: does it see conflicts, what does a question cost, does feedback help?

Detection goes the whole way, on questions that nothing was trained on or chosen with (`benchmarks.judge_sets`): a short
answer becomes a claim, documents are cut as the service cuts them, a conflict is reported where CS-C is above 0. The
least probability that a label must have is chosen on another part of the questions and reported beside 0. Beside the
compact judge stand judging by words, the weights in the folder BENCHMARK_JUDGE and, on a sample, the language model of
BENCHMARK_CHAT, a GGUF file or URL#name, which also writes what feedback is measured on. Its replies are kept in
BENCHMARK_KEPT (build/conflict): a run that was cut off goes on.
"""

import asyncio
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from answering.conflict import RuleSplitter, score_response
from answering.errors import ModelDamaged
from answering.judges import ChatJudge, Judge, Pair
from answering.judges.compact import CompactJudge
from answering.models import LimitedChat
from benchmarks.conflict_detection import Sets, WordJudge, detect, sampled
from benchmarks.conflict_documents import grounds_of
from benchmarks.conflict_feedback import measure_feedback
from benchmarks.conflict_model import AT_ONCE, kept_chat
from benchmarks.harness import CannotMeasureError, Cell, Report, run
from benchmarks.judge import MODEL_SETS, some_questions
from benchmarks.judge_sets import ClaimSet, load_conflictnq, load_ramdocs
from benchmarks.training.splits import Part

TIMED = 40
MODEL_SECONDS = 600.0
"""That a request may take: side by side on a small machine, each waits for the others."""


def measure(report: Report) -> None:
    """Detect, time, rewrite."""
    reported, choosing = _sets(report, Part.REPORT), _sets(report, Part.CALIBRATION)
    judges = _judges(report)
    rows: list[list[Cell]] = []
    for who, judge in judges.items():
        rows += asyncio.run(detect(report, who, judge, reported, choosing))
    columns = ["sets of", "who", "least", "sets", "precision", "recall", "F1", "95 %"]
    report.table("Conflicts found, on the reported quarter of the questions", columns, rows)
    _language_model(report, judges, reported)
    asyncio.run(_cost(report, judges["compact"], reported["ramdocs"]))
    measure_feedback(report, judges["compact"])


def _sets(report: Report, part: Part) -> dict[str, list[ClaimSet]]:
    found = {
        "ramdocs": load_ramdocs(report.folder("ramdocs"), part),
        "conflictnq": load_conflictnq(report.folder("conflictnq"), part),
    }
    return {name: some_questions(some, 10) for name, some in found.items()} if report.options.quick else found


def _judges(report: Report) -> dict[str, Judge]:
    judges: dict[str, Judge] = {"compact": CompactJudge(), "words": WordJudge()}
    try:
        asyncio.run(judges["compact"].judge_all([Pair("Is it warm? Yes.", "It is warm.")]))
    except ModelDamaged as error:
        raise CannotMeasureError(str(error)) from error
    if other := os.environ.get("BENCHMARK_JUDGE"):
        judges["other weights"] = CompactJudge(Path(other))
    else:
        report.rival_skipped("other weights", "BENCHMARK_JUDGE names no folder")
    return judges


def _language_model(report: Report, judges: Mapping[str, Judge], reported: Sets) -> None:
    chat = kept_chat(report, "language model as judge")
    if chat is None:
        return
    sample = {name: some_questions(sets, MODEL_SETS) for name, sets in reported.items()}
    limited = LimitedChat(chat, concurrency=AT_ONCE, timeout=MODEL_SECONDS, attempts=3)
    rows = asyncio.run(sampled({chat.name: ChatJudge(limited), **judges}, sample))
    columns = ["sets of", "who", "sets", "precision", "recall", "F1", "95 %", "s a question"]
    report.table("The same on a sample; replies kept from an earlier run took no time", columns, rows)


async def _cost(report: Report, judge: Judge, sets: Sequence[ClaimSet]) -> None:
    """One answer against all documents of its question, one after the other, as an answer of the service is scored."""
    first = list({one.question: one for one in reversed(sets)}.values())[:TIMED]
    seconds, passages = [], []
    for one in first:
        documents = grounds_of(one)[0].documents
        passages.append(sum(len(document.parts) for document in documents))
        began = time.perf_counter()
        await score_response(one.answer, documents, judge=judge, splitter=RuleSplitter(), question=one.question)
        seconds.append(time.perf_counter() - began)
    median, ninth = np.percentile(seconds, [50, 90]) * 1000
    report.table(
        "What the score of an answer costs",
        ["questions", "passages a question", "median", "nine in ten below"],
        [[len(first), f"{statistics.mean(passages):.1f}", f"{median:.0f} ms", f"{ninth:.0f} ms"]],
    )
    report.figure("milliseconds_a_question", float(median))


if __name__ == "__main__":
    raise SystemExit(run("conflict", measure))
